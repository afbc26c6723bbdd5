"""Conditions that are there: tests of `if`, `while` and conditional expressions, filters, and their parts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from ..operators.base import replace
from .base import Spot, forced, wrapped

_LONGEST = 200


@forced("angelic_condition", 3.6, "a condition decides otherwise than the cases need")
def conditions(source: Source, node: ast.AST) -> Iterator[Spot]:
    """Force a condition, and each operand of `and` and `or` in it."""
    tests: list[ast.expr] = []
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        tests = [node.test]
    elif isinstance(node, ast.comprehension):
        tests = list(node.ifs)
    parts = [part for test in tests if isinstance(test, ast.BoolOp) for part in test.values]
    for test in (*tests, *parts):
        if len(source.segment(test)) <= _LONGEST and not any(isinstance(n, ast.NamedExpr) for n in ast.walk(test)):
            yield wrapped(source, test, lambda text, test=test: replace(source, test, text))  # type: ignore[misc]
