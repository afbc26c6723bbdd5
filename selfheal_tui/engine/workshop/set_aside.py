"""What is red in the first run and no task for a repair of the program: such files and cases stay as they are.

A test file that cannot be collected, where other cases are there, and a case that flips while nothing changes.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence

from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.text import one_line, plural

from ..moment.state import SetAside
from ..moment.workspace import Workspace
from ..suites.ended_at_import import program_ended_it
from ..suites.missing_packages import missing_packages, missing_words
from ..suites.red.matching import without_cases

Run = Callable[[Sequence[str]], Awaitable[SuiteReport]]
"""Runs these tests once more over the same files."""

_AFTER_OTHERS = "fails after other cases and passes without them: it meets what another case has left behind."
_LONGEST_S = 10.0
"""Failing cases that took longer together are not run again."""


async def find_set_aside(report: SuiteReport, workspace: Workspace, run: Run) -> tuple[SetAside | None, list[str]]:
    """Return what of a first run is no task for a repair, None for nothing, and sentences about the other red cases.

    Raises: SandboxError.
    """
    why = {case["id"]: uncollectable_words(case, workspace.files) for case in unrelated_files(report, workspace)}
    flaky, after_others = await _flaky(report, workspace.tests, run)
    notes = [f"{name} {_AFTER_OTHERS}" for name in after_others]
    why |= dict.fromkeys(flaky, "failed and then passed with the same code: it is flaky, and no repair is looked for")
    if not why:
        return None, notes
    collected = [case["id"] for case in report["cases"]]
    tests = without_cases([test for test in workspace.tests if test not in workspace.origins], collected, {*why})
    words_of = {name: f"{name} {words}." for name, words in why.items()}
    return {"tests": list(tests), "why": words_of, "flaky": flaky}, notes


def unrelated_files(report: SuiteReport, workspace: Workspace) -> list[CaseResult]:
    """Return the test files that cannot be collected for a reason outside of the program, where other cases ran.

    A package that the program lacks is such a reason where another case is red: no edit of that one brings it.
    """
    ran = [case for case in report["cases"] if "::" in case["id"]]
    is_red = any(case["outcome"] not in ("passed", "skipped") for case in ran)
    return [
        case
        for case in report["cases"]
        if ran
        and "::" not in case["id"]
        and (not names_program(case, workspace) or (is_red and missing_packages([case], workspace.files)))
    ]


def names_program(case: CaseResult, workspace: Workspace) -> bool:
    """Tell whether a failure lies in the program, or is about one of its modules."""
    if program_ended_it(case, workspace.files, workspace.program):
        return True
    place = (case["location"] or "").rpartition(":")[0]
    modules = {path.removesuffix(".py").removesuffix("/__init__").split("/")[-1] for path in workspace.program}
    return place in workspace.program or bool(modules & set(re.findall(r"\w+", case["message"])))


def uncollectable_words(case: CaseResult, files: Iterable[str]) -> str:
    """Say why a test file is left as it is, after its name."""
    if packages := missing_packages([case], files):
        return f"cannot be collected and stays as it is: {missing_words(packages).rstrip('.')}"
    return f"cannot be collected and stays as it is: {one_line(case['message'], 200).rstrip('.')}"


def without(report: SuiteReport, aside: SetAside, *, waiting: bool = False) -> SuiteReport:
    """Return a report as it would be without what was set aside; `waiting`: without the cases that wait, too."""
    gone = {*aside["why"], *(aside.get("waiting", []) if waiting else [])}
    cases = [case for case in report["cases"] if case["id"] not in gone]
    outcomes = [case["outcome"] for case in cases]
    red = any(outcome not in ("passed", "skipped") for outcome in outcomes)
    blocked = any("::" not in case["id"] for case in cases)
    return {
        **report,
        "passed": outcomes.count("passed"),
        "failed": outcomes.count("failed"),
        "errors": outcomes.count("error"),
        "timeouts": outcomes.count("timeout"),
        "skipped": outcomes.count("skipped"),
        "cases": cases,
        "verdict": "error" if blocked else "failed" if red else "passed",
        "error": report["error"] if blocked else None,
    }


def only_uncollectable(report: SuiteReport, workspace: Workspace) -> str:
    """Return the sentence for a suite in which nothing else is red; empty for any other."""
    files = unrelated_files(report, workspace)
    cases = [case for case in report["cases"] if "::" in case["id"]]
    if not files or len(files) + len(cases) < len(report["cases"]):
        return ""
    if any(case["outcome"] not in ("passed", "skipped") for case in cases):
        return ""
    more = f" and {plural(len(files) - 1, 'more test file')}" if len(files) > 1 else ""
    rest = "the only other case passes" if len(cases) == 1 else f"all {len(cases)} other cases pass"
    return (
        f"There is nothing to heal in the program: {rest}, but {files[0]['id']}{more} cannot be collected: "
        f"{one_line(files[0]['message'], 200).rstrip('.')}."
    )


async def _flaky(report: SuiteReport, tests: Sequence[str], run: Run) -> tuple[list[str], list[str]]:
    """Return the failing cases that pass when they run again, and those that pass only when the failing ones run alone.

    A case that passes alone may fail for what another case left behind: the whole suite says which it is.
    """
    failing = [case for case in report["cases"] if case["outcome"] in ("failed", "error") and "::" in case["id"]]
    if not failing or sum(case["duration_s"] for case in failing) > _LONGEST_S:
        return [], []
    names = [case["id"] for case in failing]
    alone = _passed(await run(names), names)
    flaky = _passed(await run(tests), alone) if alone else []
    return flaky, [name for name in alone if name not in flaky]


def _passed(report: SuiteReport, names: Collection[str]) -> list[str]:
    passed = {case["id"] for case in report["cases"] if case["outcome"] == "passed"}
    return [name for name in names if name in passed]
