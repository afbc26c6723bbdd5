"""Which lines of the program the suite's cases make suspicious: found once, kept beside the diagnosis for readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from selfheal_tui.sandbox.base import CaseFinished, Coverage, SuiteReport, run_through
from selfheal_tui.store.blobs import text_ref

from ..moment.recent import load_recent
from ..moment.state import SuspectLine, Suspects

if TYPE_CHECKING:
    from selfheal_tui.search.program.localise import Suspect

    from .role_context import RoleContext

MOST = 200
"""Lines that are kept, the most suspicious first."""


async def find_suspects(
    context: RoleContext, tell: Callable[[CaseFinished], None] | None = None
) -> tuple[tuple[Suspect, ...], Coverage]:
    """Run the suite with coverage, where it was not; return all suspicious lines, the most first, and the coverage.

    Raises: SandboxError.
    """
    from selfheal_tui.search.program.localise import localise

    report, coverage = await _covered(context, tell)
    program = context.workspace.program_texts
    recent = await load_recent(context.deps.blobs, context.state, context.workspace.base, program)
    return localise(context.report or report, coverage, program, recent), coverage


async def _covered(context: RoleContext, tell: Callable[[CaseFinished], None] | None) -> tuple[SuiteReport, Coverage]:
    covered, report = context.deps.covered, context.report
    if covered is not None and report is not None and covered.files == context.workspace.files:
        # Cases that were set aside since, or that wait for their turn, say nothing of this fault.
        return report, {case["id"]: covered.coverage.get(case["id"], {}) for case in report["cases"]}
    suite = context.workspace.suite(context.deps.suite_limits, coverage=True)
    finished = await run_through(context.deps.sandbox, suite, tell)
    return finished.report, finished.coverage


def build_suspects(suspects: Sequence[Suspect], program: Mapping[str, str]) -> Suspects:
    """Return the suspects to save: lines with a reason, not those that are named only because there is no coverage."""
    from selfheal_tui.search.program.localise import BLIND

    lines: list[SuspectLine] = [
        {"path": s.path, "line": s.line, "score": s.score, "why": s.reason} for s in suspects if s.reason != BLIND
    ]
    named = {line["path"] for line in lines[:MOST]}
    return {"of": {path: text_ref(program[path]) for path in sorted(named)}, "lines": lines[:MOST]}


def still_suspect(saved: Suspects | None, program: Mapping[str, str]) -> tuple[SuspectLine, ...]:
    """Return the suspect lines of files that have not changed since: in another text line numbers mean nothing."""
    if saved is None:
        return ()
    same = {path for path, ref in saved["of"].items() if path in program and text_ref(program[path]) == ref}
    return tuple(line for line in saved["lines"] if line["path"] in same)
