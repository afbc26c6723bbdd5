"""A suite whose project runs it in several processes (`-n` of pytest-xdist): its files in parts, the reports joined.

What xdist does by `--dist loadfile`, with each part in a sandbox of its own: all cases of a file run in one process, in
their order, and a fixture of the whole session is set up once in each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from .base import NO_TEST, Coverage, Suite, SuiteFinished, SuiteReport
from .inside.addopts import setting, settings_file

_FLAGS = ("-n", "--numprocesses", "--maxprocesses", "--dist")
_SHORT = re.compile(r"-n=?(\d+|auto|logical)")
_ALL_CORES = ("auto", "logical")


def number_of_workers(suite: Suite, cores: int) -> int:
    """Return in how many processes a suite may run: as its arguments or its settings say, at most one a core."""
    config = settings_file(suite.files)
    words = [*(setting(config, suite.files[config], "addopts") if config else []), *suite.pytest_args]
    asked = [value for flag, value in _options(words) if flag in ("-n", "--numprocesses")]
    if not asked or suite.stop_on_failure or suite.watch:
        return 1
    return cores if asked[-1] in _ALL_CORES else max(1, min(cores, int(asked[-1]) if asked[-1].isdecimal() else 1))


def without_workers(args: Sequence[str]) -> list[str]:
    """Return arguments for pytest without those that say in how many processes cases run."""
    kept: list[str] = []
    words = list(args)
    while words:
        word = words.pop(0)
        if word in _FLAGS:
            del words[:1]
        elif not _split(word)[0]:
            kept.append(word)
    return kept


def parts_of(suite: Suite, number: int) -> list[Suite]:
    """Return a suite in at most so many parts, each of whole files; itself where it cannot be parted."""
    files = list(dict.fromkeys(test.partition("::")[0] for test in suite.tests))
    if number < 2 or len(files) < 2 or not set(files) <= suite.files.keys():
        return [suite]
    # Files of one name stay together: pytest may take them for one module, and says so only where it meets both.
    names = list(dict.fromkeys(PurePosixPath(path).name for path in files))
    number = min(number, len(names))
    part = {path: names.index(PurePosixPath(path).name) % number for path in files}
    tests = [tuple(test for test in suite.tests if part[test.partition("::")[0]] == n) for n in range(number)]
    return [replace(suite, tests=of_part) for of_part in tests]


def joined(suite: Suite, parts: Sequence[SuiteFinished]) -> SuiteFinished:
    """Return the end of a suite whose parts have ended, its cases in the order of its files."""
    place = {path: at for at, path in enumerate(dict.fromkeys(test.partition("::")[0] for test in suite.tests))}
    reports = [part.report for part in parts]
    cases = [case for report in reports for case in report["cases"]]
    cases.sort(key=lambda case: ("::" in case["id"], place.get(case["id"].partition("::")[0], len(place))))
    error = _error(suite, reports)
    failed = any(case["outcome"] not in ("passed", "skipped") for case in cases)
    coverage: Coverage = {case: lines for part in parts for case, lines in part.coverage.items()}
    report: SuiteReport = {
        **reports[0],
        "passed": sum(one["passed"] for one in reports),
        "failed": sum(one["failed"] for one in reports),
        "errors": sum(one["errors"] for one in reports),
        "timeouts": sum(one["timeouts"] for one in reports),
        "skipped": sum(one["skipped"] for one in reports),
        "duration_s": max(one["duration_s"] for one in reports),
        "truncated": any(one["truncated"] for one in reports),
        "cases": cases,
        "verdict": "error" if error else "failed" if failed else "passed",
        "error": error,
        "output": "\n".join(filter(None, (one.get("output", "") for one in reports))),
    }
    return SuiteFinished(report, coverage, {})


def _error(suite: Suite, reports: Iterable[SuiteReport]) -> str | None:
    """Return what is wrong with the whole: that a part has no test, or skips all of its own, is no fault of it."""
    reports = list(reports)
    ran = [report for report in reports if report["passed"] or report["failed"] or report["timeouts"]]
    errors = [
        report["error"]
        for report in reports
        if report["error"] and not (ran and report not in ran and _is_empty(report))
    ]
    if errors and all(error.startswith(NO_TEST) for error in errors):
        return f"{NO_TEST} in {', '.join(suite.tests)}"
    return next((error for error in errors if not error.startswith(NO_TEST)), None)


def _is_empty(report: SuiteReport) -> bool:
    """Tell whether a part has no case that ran, and none that could not."""
    return all(case["outcome"] == "skipped" for case in report["cases"])


def _options(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the flags that say in how many processes cases run, with their values."""
    options: list[tuple[str, str]] = []
    for at, word in enumerate(words):
        if word in _FLAGS and at + 1 < len(words):
            options.append((word, words[at + 1]))
        elif _split(word)[0]:
            options.append(_split(word))
    return options


def _split(word: str) -> tuple[str, str]:
    """Return flag and value of `-n4` or `--numprocesses=4`; nothing for another word."""
    flag, equals, value = word.partition("=")
    if short := _SHORT.fullmatch(word):
        return "-n", short.group(1)
    return (flag, value) if equals and flag in _FLAGS else ("", "")
