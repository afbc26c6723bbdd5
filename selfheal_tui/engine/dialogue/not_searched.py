"""Files of the project that failing cases run and that no search edits, as the session was not given them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from selfheal_tui.sandbox.base import SuiteReport, run_through

from ..moment.words import not_searched_words
from ..workshop.role_context import RoleContext
from ..workshop.support import support_files

if TYPE_CHECKING:
    from selfheal_tui.search.explain import SearchDiagnosis


async def run_by_failing(context: RoleContext, report: SuiteReport) -> list[str]:
    """Return the support files that failing cases run, those that most of them run first; the suite runs once more.

    Nothing runs where there are no such files. Raises: SandboxError.
    """
    from selfheal_tui.search.program.localise import is_failing

    support = support_files(context.workspace)
    failing = {case["id"] for case in report["cases"] if is_failing(case)}
    if not support or not failing:
        return []
    suite = context.workspace.suite(context.deps.suite_limits, coverage=True)
    suite = replace(suite, program=(*suite.program, *support), explain=False)
    finished = await run_through(context.deps.sandbox, suite)
    runs = Counter(
        path
        for case, lines_by_path in finished.coverage.items()
        if case in failing
        for path, lines in lines_by_path.items()
        if lines and path in support
    )
    return [path for path, _ in runs.most_common()]


def with_not_searched(diagnosis: SearchDiagnosis, paths: Sequence[str]) -> SearchDiagnosis:
    """Add to a diagnosis which support files the failing cases run; the same diagnosis where there are none."""
    if not paths:
        return diagnosis
    cause = f"{diagnosis['cause']} {not_searched_words(paths)}"
    return {**diagnosis, "cause": cause, "not_searched": list(paths)}
