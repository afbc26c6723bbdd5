"""Packages that tests or program import and that the interpreter of the tests does not have: no edit mends that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from selfheal_tui.sandbox.base import SuiteReport

_MISSING = re.compile(r"ModuleNotFoundError: No module named '(\w+)")


def missing_packages(report: SuiteReport, files: Iterable[str]) -> list[str]:
    """Return the packages for which every case that does not pass waits, sorted; none where one fails otherwise.

    Modules that are among the `files`, or would be beside them, are no packages to install.
    """
    failing = [case for case in report["cases"] if case["outcome"] not in ("passed", "skipped")]
    matches = [_MISSING.search(case["message"]) for case in failing]
    if not matches or None in matches:
        return []
    own = {part for path in files for part in PurePosixPath(path).with_suffix("").parts}
    names = {match[1] for match in matches if match}
    return [] if names & own else sorted(names)


def waiting_files(report: SuiteReport, files: Iterable[str]) -> dict[str, str]:
    """Return test file -> package, for those that cannot be collected because a package is not installed."""
    blocked = {case["id"]: case for case in report["cases"] if "::" not in case["id"]}
    waiting = {}
    for name, case in blocked.items():
        if packages := missing_packages({**report, "cases": [case]}, files):
            waiting[name] = packages[0]
    return waiting


def waiting_words(waiting: Mapping[str, str]) -> str:
    """Say which test files stay as they are, and for which packages: one sentence and what to do; empty for none."""
    if not waiting:
        return ""
    stay = "stays as it is" if len(waiting) == 1 else "stay as they are"
    return f"{', '.join(waiting)} cannot be collected and {stay}: {missing_words(sorted(set(waiting.values())))}"


def rest_words(report: SuiteReport) -> list[str]:
    """Say that all other cases pass; nothing where there are none."""
    if not (passed := report["passed"]):
        return []
    return ["The only other case passes." if passed == 1 else f"All {passed} other cases pass."]


def missing_words(packages: list[str]) -> str:
    """Say that packages are not installed, and what to do."""
    named = ", ".join(f"`{name}`" for name in packages)
    are = "is" if len(packages) == 1 else "are"
    return (
        f"{named} {are} not installed for the interpreter that runs the tests. Install what is missing, or name the "
        "interpreter that has it: --python .venv/bin/python."
    )
