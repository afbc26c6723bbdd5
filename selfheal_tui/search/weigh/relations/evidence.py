"""What cases and words tell of the functions that tests call. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from selfheal_tui.python_source import is_literal, parse_or_none

from ...program.calls import compared_calls
from ...program.source import FunctionNode
from .base import Case, Known

_MOST_CASES = 40


def build_evidence(tests: Mapping[str, str], program: Mapping[str, str], spec: str = "") -> dict[str, Known]:
    """Return what is known of each function that an assertion compares with a plain value, by its name there.

    `tests` and `program` are path -> text.
    """
    cases: dict[str, dict[str, Case]] = {}
    for name, arguments, result in _compared(tests):
        own = cases.setdefault(name, {})
        if len(own) < _MOST_CASES:
            own.setdefault(repr(arguments), Case(tuple(arguments), result))
    trees = [tree for text in program.values() if (tree := parse_or_none(text)) is not None]
    docs = {
        node.name: ast.get_docstring(node) or ""
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, FunctionNode)
    }
    return {
        name: Known(name, tuple(own.values()), f"{docs.get(name.rpartition('.')[2], '')}\n{spec}".lower())
        for name, own in cases.items()
    }


def _compared(tests: Mapping[str, str]) -> Iterator[tuple[str, list[Any], Any]]:
    """Yield (function, arguments, expected result); a call within `len(...)` and the like is none."""
    for _, call, literal in compared_calls(tests):
        match call:
            case ast.Call(func=ast.Name() | ast.Attribute() as func, args=arguments, keywords=[]) if all(
                map(is_literal, arguments)
            ):
                yield ast.unparse(func), [*map(ast.literal_eval, arguments)], ast.literal_eval(literal)
