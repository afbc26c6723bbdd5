"""Test functions in a text that is tried: pytest runs each, with the names of the program at hand. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import TypedDict

from selfheal_tui.python_source import parse_python
from selfheal_tui.sandbox.base import CaseResult, Outcome, SuiteReport
from selfheal_tui.text import one_line

from ..suites.test_cases import case_functions


class TriedCase(TypedDict):
    """What came of one test function of a text."""

    name: str
    """`test_a`, `TestX::test_b` or `test_a[1]`."""
    outcome: Outcome
    error: str
    """Why it does not pass; one line, empty when it does."""


def defines_tests(text: str) -> bool:
    """Tell whether a text defines test functions and leaves it to others to call them."""
    names = {name.partition("::")[0] for name in case_functions(text)}
    if not names:
        return False
    return not any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(parse_python(text)))


def as_test_file(text: str, imports: str, of_imports: str) -> str:
    """Return a text as a test file that first runs `imports`, as if they stood in the file `of_imports`.

    That is one line more than the text has: `lines_as_written` counts it out.
    """
    future = [
        node.end_lineno or 0
        for node in parse_python(text).body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    at = max(future, default=0)
    lines = text.encode("utf-8", "replace").decode("utf-8").split("\n")
    run = f'exec(compile({imports!r}, {of_imports!r}, "exec", 0, True))'
    return "\n".join([*lines[:at], run, *lines[at:]])


def lines_as_written(traceback: str, path: str) -> str:
    """Return a traceback with the lines of the test file `path` numbered as in the text."""
    return re.sub(rf"(?m)^(\S*{re.escape(path)}:)(\d+)", lambda place: f"{place[1]}{int(place[2]) - 1}", traceback)


def tried_cases(report: SuiteReport) -> list[TriedCase]:
    """Return what came of each case of a report."""
    return [_tried(case) for case in report["cases"] if "::" in case["id"]]


def why_not_passed(case: CaseResult) -> str:
    """Return in one line why a case does not pass; empty when it does."""
    without_words = {"timeout": "It did not end in time.", "skipped": "It was skipped."}
    return one_line(case["message"] or without_words.get(case["outcome"], ""), 1000)


def worst(cases: Sequence[CaseResult]) -> CaseResult | None:
    """Return the first case that does not pass, else the first; None where there is none."""
    bad = (case for case in cases if case["outcome"] not in ("passed", "skipped"))
    return next(bad, cases[0] if cases else None)


def _tried(case: CaseResult) -> TriedCase:
    return {"name": case["id"].partition("::")[2], "outcome": case["outcome"], "error": why_not_passed(case)}
