"""Questions about functions that no test calls by name: with what the tests' own calls hand to them. Pure.

Most of what repairs in such a function do otherwise never shows in what its callers give for the tests' own values.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from selfheal_tui.python_source import is_literal, parse_or_none

_MOST = 8
"""Calls of one function that are taken."""
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Helper:
    """A function at the top of a program file whose name no test mentions."""

    path: str
    line: int
    """1-based, of the first statement that runs."""
    parameters: tuple[str, ...]


def unnamed_helpers(
    program: Mapping[str, str], tests: Mapping[str, str], places: Collection[tuple[str, int]]
) -> dict[str, Helper]:
    """Return name -> function, of those that hold one of the `places` (path, 1-based line).

    `program` and `tests` are path -> text.
    """
    trees = [tree for text in tests.values() if (tree := parse_or_none(text)) is not None]
    mentioned = {name for tree in trees for node in ast.walk(tree) for name in _names(node)}
    found: dict[str, list[Helper]] = {}
    for path, text in program.items():
        tree = parse_or_none(text)
        for node in tree.body if tree is not None else ():
            if isinstance(node, ast.FunctionDef) and node.name not in mentioned:
                found.setdefault(node.name, []).extend(_helper(path, node, places))
    return {name: helpers[0] for name, helpers in found.items() if len(helpers) == 1}


def _names(node: ast.AST) -> Iterable[str]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return (name,)
    return ()


def _helper(path: str, node: ast.FunctionDef, places: Collection[tuple[str, int]]) -> Iterable[Helper]:
    own = node.args
    has_plain_arguments = not (own.vararg or own.kwarg or own.kwonlyargs or own.posonlyargs or node.decorator_list)
    if has_plain_arguments and any((path, line) in places for line in range(node.lineno, (node.end_lineno or 0) + 1)):
        first = next((one for one in node.body if not _is_text(one)), node.body[0])
        yield Helper(path, first.lineno, tuple(one.arg for one in own.args))


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def calls_seen(helpers: Mapping[str, Helper], watched: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the calls, as source text, that were watched at the first line of a helper; those of plain values only.

    What was watched is as `SuiteFinished.watched` has it: file, line, function, locals (name -> repr).
    """
    calls: dict[str, list[str]] = {name: [] for name in helpers}
    for one in watched:
        name = str(one.get("function"))
        helper = helpers.get(name)
        if helper is None or (one.get("file"), one.get("line")) != (helper.path, helper.line):
            continue
        values = [str(one["locals"].get(parameter, "")) for parameter in helper.parameters]
        text = f"{name}({', '.join(values)})"
        if len(text) <= _LONGEST and text not in calls[name] and all(map(is_literal, values)):
            calls[name].append(text)
    return [text for of_one in calls.values() for text in sorted(of_one, key=len)[:_MOST]]


def as_tests(calls: Iterable[str]) -> str:
    """Return a test file that makes these calls, for what changes the calls of tests; it expects nothing of them."""
    return "\n".join(f"def test_{number}():\n    assert {call} == None\n" for number, call in enumerate(calls))
