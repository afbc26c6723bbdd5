"""What is red in the first run and no task for a repair of the program: such files and cases stay as they are.

A test file that cannot be collected, where other cases are there, a case that flips while nothing changes, a case that
the sandbox blocks or whose fixture nothing gives, and beside them a file of the project that does not parse and that no
test imports.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence

from selfheal_tui.python_source import parse_or_none
from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.text import one_line, plural

from ..moment.state import SetAside
from ..moment.words import failing_cases
from ..moment.workspace import Workspace
from ..suites.ended_at_import import program_ended_it
from ..suites.missing_fixtures import fixtureless_briefs, fixtureless_cases, missing_fixtures
from ..suites.missing_packages import in_environment, missing_packages, missing_words, python_with, rest_words
from ..suites.red.matching import without_cases
from ..task.denied import blocked_briefs, blocked_cases, lacking

Run = Callable[[Sequence[str]], Awaitable[SuiteReport]]
"""Runs these tests once more over the same files."""

_OF_TESTS = re.compile(r"(^|/)(tests?/|test_|conftest\.py$)|_test\.py$")
_AFTER_OTHERS = "fails after other cases and passes without them: it meets what another case has left behind."
_FLIPS = "passes and fails with the code as it was given: it is flaky, and no repair is looked for."
SAME_NAME = "ImportPathMismatchError: "
"""What pytest calls it when two test files have the same name and their folders have no `__init__.py`."""
_MOST_NAMED = 3
_LONGEST_S = 10.0
"""Failing cases that took longer together are not run again."""


async def find_set_aside(
    report: SuiteReport, workspace: Workspace, run: Run, root: str | None = None, *, seen_red: bool = False
) -> tuple[SetAside | None, list[str]]:
    """Return what of a first run is no task for a repair, None for nothing, and sentences about the other red cases.

    `root` is the folder that the files were copied from; `seen_red`: a run of the user's own is red for these cases.
    Raises: SandboxError.
    """
    uncollectable = unrelated_files(report, workspace)
    uncollectable += (elsewhere := _in_other_interpreter(report, workspace, root))
    why = {case["id"]: uncollectable_words(case, workspace.files, root) for case in uncollectable}
    blocked = blocked_cases(report, workspace.files, root)
    fixtureless = _fixtureless(report, workspace)
    blocked |= fixtureless_cases(fixtureless)
    not_again = {*blocked, *(case["id"] for case in elsewhere)}
    flaky, after_others = await _flaky(report, workspace.tests, run, not_again)
    notes = [f"{name} {_AFTER_OTHERS}" for name in after_others]
    why |= dict.fromkeys(flaky, "failed and then passed with the same code: it is flaky, and no repair is looked for")
    why |= dict.fromkeys(_unparsed(workspace), "does not parse, and no test imports it: it stays as it is")
    if not why and not blocked:
        return None, notes
    collected = [case["id"] for case in report["cases"]]
    tests = without_cases([test for test in workspace.tests if test not in workspace.origins], collected, why | blocked)
    words_of = {**{name: f"{name} {words}." for name, words in why.items()}, **blocked}
    words_of |= _lacking_words(uncollectable, workspace, root)
    aside: SetAside = {
        "tests": list(tests),
        "why": words_of,
        "flaky": flaky,
        "brief": {
            **blocked_briefs(report, workspace.files, root),
            **fixtureless_briefs(fixtureless),
            **{case["id"]: _uncollectable_brief(case, workspace.files, root) for case in uncollectable},
            **dict.fromkeys(flaky, "flaky"),
        },
        "first_failed": sum("::" in case["id"] for case in failing_cases(report)),
    }
    if not seen_red:
        aside["red_only_here"] = sorted(not_again)
    if lacks := lacking(report, workspace.files, root):
        aside["lacks"] = lacks
    if packages := {name for case in uncollectable for name in missing_packages([case], workspace.files)}:
        aside["packages"] = sorted(packages)
    return aside, notes


def with_flips(aside: SetAside | None, flips: Sequence[str], report: SuiteReport, tests: Sequence[str]) -> SetAside:
    """Return what is set aside with cases that were found to flip after a repair; `report` is of these `tests`."""
    before: SetAside = aside or {"tests": list(tests), "why": {}, "flaky": []}
    collected = [case["id"] for case in report["cases"]]
    why = {name: f"{name} {_FLIPS}" for name in flips}
    after: SetAside = {
        **before,
        "tests": list(without_cases(before["tests"], collected, why)),
        "why": before["why"] | why,
        "flaky": [*before["flaky"], *flips],
        "brief": {**before.get("brief", {}), **dict.fromkeys(flips, "flaky")},
    }
    if "first_failed" in before:
        after["first_failed"] = before["first_failed"] + len(flips)
    if "whole" in before:
        after["whole"] = list(without_cases(before["whole"], [*collected, *before.get("waiting", [])], why))
    return after


def aside_notes(aside: SetAside) -> list[str]:
    """Return the sentences about what was set aside; one may be about several cases."""
    return list(dict.fromkeys(aside["why"].values()))


def with_set_aside(report: SuiteReport, aside: SetAside) -> SuiteReport:
    """Return a report that names the failing cases and test files that were set aside, and why."""
    brief = {name: words for name, words in aside.get("brief", {}).items() if name in aside["why"]}
    if not brief:
        return report
    counted: SuiteReport = {**report, "set_aside": brief}
    if "red_only_here" in aside:
        counted["red_only_here"] = aside["red_only_here"]
    return {**counted, "first_failed": aside["first_failed"]} if "first_failed" in aside else counted


def only_blocked(report: SuiteReport, workspace: Workspace, root: str | None) -> str:
    """Return the sentence for a suite in which all that is red is blocked by the sandbox; empty for any other."""
    blocked = blocked_cases(report, workspace.files, root)
    red = [case["id"] for case in report["cases"] if case["outcome"] not in ("passed", "skipped")]
    if not blocked or not blocked.keys() >= {*red}:
        return ""
    sentence = " ".join(dict.fromkeys(blocked.values()))
    return f"The sandbox blocks every case that fails. {sentence}"


def _fixtureless(report: SuiteReport, workspace: Workspace) -> dict[str, list[str]]:
    """Return fixture -> the cases that lack it; a case that a model wrote is thrown out elsewhere."""
    given = [case for case in report["cases"] if case["id"].partition("::")[0] not in workspace.origins]
    return missing_fixtures(given, workspace.files, workspace.program)


def only_fixtureless(report: SuiteReport, workspace: Workspace) -> str:
    """Return the sentences for a suite in which all that is red lacks a fixture; empty for any other."""
    lacking_one = fixtureless_cases(_fixtureless(report, workspace))
    red = [case["id"] for case in report["cases"] if case["outcome"] not in ("passed", "skipped")]
    if not lacking_one or not lacking_one.keys() >= {*red}:
        return ""
    return " ".join([*dict.fromkeys(lacking_one.values()), *rest_words(report)])


def _unparsed(workspace: Workspace) -> list[str]:
    """Return the files that do not parse and are neither the program's nor the tests', by name or by folder."""
    known = {*workspace.test_files, *workspace.program}
    others = [path for path in workspace.files if path.endswith(".py") and path not in known]
    return [path for path in others if not _OF_TESTS.search(path) and parse_or_none(workspace.files[path]) is None]


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


def _in_other_interpreter(report: SuiteReport, workspace: Workspace, root: str | None) -> list[CaseResult]:
    """Return the cases that lack a package which the project's own environment has, where others fail otherwise."""
    red = [case for case in report["cases"] if case["outcome"] not in ("passed", "skipped")]
    cases = [case for case in red if "::" in case["id"]]
    lacking_one = [case for case in cases if in_environment(missing_packages([case], workspace.files), root)]
    return lacking_one if len(lacking_one) < len(cases) else []


def uncollectable_words(case: CaseResult, files: Iterable[str], root: str | None = None) -> str:
    """Say why a test file, or a case that lacks a package, is left as it is, after its name."""
    if packages := missing_packages([case], files):
        words = missing_words(packages, root, [case]).rstrip(".")
        way = "cannot run" if "::" in case["id"] else "cannot be collected"
        return f"{way} and stays as it is: {words[0].lower()}{words[1:]}"
    return f"cannot be collected and stays as it is: {one_line(case['message'], 600).rstrip('.')}"


def _lacking_words(cases: Iterable[CaseResult], workspace: Workspace, root: str | None) -> dict[str, str]:
    """Return one sentence for all cases and test files that lack packages, by each of them."""
    lacking_one = [case for case in cases if missing_packages([case], workspace.files)]
    if len(lacking_one) < 2:
        return {}
    named = ", ".join(one_line(case["id"], 80) for case in lacking_one[:_MOST_NAMED])
    more = f" and {len(lacking_one) - _MOST_NAMED} more" if len(lacking_one) > _MOST_NAMED else ""
    words = missing_words(missing_packages(lacking_one, workspace.files), root, lacking_one)
    sentence = f"{named}{more} stay as they are: {words[0].lower()}{words[1:]}"
    return {case["id"]: sentence for case in lacking_one}


def _uncollectable_brief(case: CaseResult, files: Iterable[str], root: str | None) -> str:
    if packages := missing_packages([case], files):
        flag = f": --python {python_with(packages, root)}" if in_environment(packages, root) else ""
        return f"needs {', '.join(packages)}{flag}"
    message = case["message"]
    if message.startswith(SAME_NAME):
        return one_line(message.removeprefix(SAME_NAME).partition(":")[0], 300)
    return one_line(message, 300).rstrip(".")


def without(report: SuiteReport, gone: Collection[str]) -> SuiteReport:
    """Return a report as it would be without these cases and files."""
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
    count = len(cases)
    rest = {1: "the only other case passes", 2: "both other cases pass"}.get(count, f"all {count} other cases pass")
    return (
        f"{rest[0].upper()}{rest[1:]}, but {files[0]['id']}{more} cannot be collected: "
        f"{one_line(files[0]['message'], 400).rstrip('.')}."
    )


async def _flaky(
    report: SuiteReport, tests: Sequence[str], run: Run, blocked: Collection[str]
) -> tuple[list[str], list[str]]:
    """Return the failing cases that pass when they run again, and those that pass only when the failing ones run alone.

    Blocked ones do not run again. A case that passes alone may fail for what another case left behind: the whole suite
    says which it is.
    """
    red = [case for case in report["cases"] if case["outcome"] in ("failed", "error") and "::" in case["id"]]
    failing = [case for case in red if case["id"] not in blocked]
    if not failing or sum(case["duration_s"] for case in failing) > _LONGEST_S:
        return [], []
    names = [case["id"] for case in failing]
    alone = _passed(await run(names), names)
    flaky = _passed(await run(tests), alone) if alone else []
    return flaky, [name for name in alone if name not in flaky]


def _passed(report: SuiteReport, names: Collection[str]) -> list[str]:
    passed = {case["id"] for case in report["cases"] if case["outcome"] == "passed"}
    return [name for name in names if name in passed]
