"""Cases that fail with a repair as without it, but at an earlier assertion: what that one says held before. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from selfheal_tui.python_source import parse_or_none
from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.text import one_line

_CHECK = 80


def lost_check(before: SuiteReport, after: SuiteReport, tests: Mapping[str, str]) -> str:
    """Say which check of a case holds without a repair and not with it: `assert f(1) == 2` of test_f; empty for none.

    `tests` is path -> text. Only checks count that stand by themselves in a test function: those of a loop may have
    held a few times in both.
    """
    old = {case["id"]: case for case in before["cases"] if case["outcome"] == "failed"}
    for case in after["cases"]:
        was = old.get(case["id"])
        if was is None or case["outcome"] != "failed":
            continue
        then, now = _line_of(was), _line_of(case)
        check = _check_at(tests.get(case["id"].partition("::")[0], ""), now) if 0 < now < then else None
        if check is not None and then not in range(check.lineno, (check.end_lineno or check.lineno) + 1):
            name = one_line(case["id"].rpartition("::")[2], 60)
            return f"`{one_line(ast.unparse(check), _CHECK)}` of {name}"
    return ""


def _line_of(case: CaseResult) -> int:
    """Return the line of its own file at which a case failed; 0 where nothing says so."""
    path = case["id"].partition("::")[0]
    places = re.findall(
        rf"(?:^|[\s\"]){re.escape(path)}(?:\", line |:)(\d+)", f"{case['traceback']}\n{case['location']}"
    )
    return int(places[-1]) if places else 0


def _check_at(text: str, line: int) -> ast.stmt | None:
    """Return the assertion at a line that is a statement of a test function itself."""
    tree = parse_or_none(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in node.body:
                is_check = isinstance(statement, ast.Assert | ast.Expr)
                if is_check and statement.lineno <= line <= (statement.end_lineno or statement.lineno):
                    return statement
    return None
