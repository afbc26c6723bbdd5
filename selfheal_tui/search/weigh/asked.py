"""Which functions the calls that repairs are asked are of, and what the tests say these give. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from selfheal_tui.python_source import parse_expression

from ..program.calls import compared_calls, innermost


def functions_of_calls(calls: Iterable[str]) -> list[str]:
    """Return the names of what is called, each once: `fee` of `shop.fee(1)` and of `[a := Account(), a.fee()][-1]`."""
    names: dict[str, None] = {}
    for call in calls:
        try:
            tree = parse_expression(call)
        except SyntaxError:
            continue
        if isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.List) and tree.value.elts:
            tree = tree.value.elts[-1]
        if name := _name(tree):
            names[name] = None
    return [*names]


def results_differ(functions: Iterable[str], tests: Mapping[str, str]) -> bool:
    """Tell whether the tests (path -> text) expect different results of one of these functions."""
    expected: dict[str, set[str]] = {}
    for _, call, literal in compared_calls(tests):
        expected.setdefault(_name(innermost(call)), set()).add(ast.unparse(literal))
    return any(len(expected.get(name, ())) > 1 for name in functions)


def _name(call: ast.expr) -> str:
    match innermost(call):
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) | ast.Attribute(attr=name):
            return name
    return ""
