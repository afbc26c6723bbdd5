"""Literals that a change takes from the tests: it may answer what they ask, and nothing else. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from difflib import SequenceMatcher
from functools import lru_cache

from selfheal_tui.python_source import parse_or_none
from selfheal_tui.text import one_line

from ..program.calls import compared_calls
from ..program.source import FunctionNode
from .tree_changes import TreeChange

_SHOWN = 40
"""Most characters of code in a sentence."""
_COMMON = frozenset({0, 1, 2, 10, 100, 1000, 10_000, 100_000, 1_000_000, 0.1, 0.5})
"""Numbers that stand in any program."""
_EQUALITY = (ast.Eq, ast.NotEq, ast.In)
_ALIKE = 0.7
"""Likeness from which one text is another one spelt right."""


def borrowed_literal(change: TreeChange, program: Collection[str], test_constants: Collection[str]) -> str:
    """Say which number or text of the tests a change brings in that the program (texts of files) does not have.

    Empty for none, for `0`, `100` and the like, and for a text that is another one spelt right.
    """
    if change.new is None:
        return ""
    for node in ast.walk(change.new):
        if not isinstance(node, ast.Constant) or repr(node.value) not in test_constants or _is_common(node.value):
            continue
        if not _is_spelt_right(change.old, node.value) and not any(_mentions(text, node.value) for text in program):
            return f"It writes a value of the tests into the program: {_code(node)}."
    return ""


def part_of_input(change: TreeChange, program: Collection[str], tests: Mapping[str, str]) -> str:
    """Say which part of a text that tests give the program a change writes out: `text.replace(" ; note", "")`.

    Empty for none, for signs alone, and for what a test expects, or the program has, too.
    """
    for node in ast.walk(change.new) if change.new is not None else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and sum(map(str.isalnum, node.value)) > 1:
            given, expected = _texts_of(tuple(tests.values()))
            is_part = any(node.value in text for text in given) and not any(node.value in text for text in expected)
            known = any(_mentions(text, node.value) for text in program) or _is_spelt_right(change.old, node.value)
            if is_part and not known:
                return f"It treats a part of what a test gives on its own: {_code(node)}."
    return ""


@lru_cache(maxsize=8)
def _texts_of(tests: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the texts with which tests call something, and those that they compare it with."""
    given: set[str] = set()
    expected: set[str] = set()
    for _, call, literal in compared_calls({str(number): text for number, text in enumerate(tests)}):
        given |= _strings(call)
        expected |= _strings(literal)
    return frozenset(given), frozenset(expected)


def _strings(tree: ast.expr) -> set[str]:
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def single_value(change: TreeChange, program: Collection[str], failing_constants: Collection[str]) -> str:
    """Say which value of a failing case a change treats on its own: `if x == 1: return True`; empty for none."""
    if change.new is None:
        return ""
    answers_it = change.old is None and _answers_one_value(change.new)
    for compared in _compared(change):
        for node in ast.walk(compared):
            if not isinstance(node, ast.Constant) or isinstance(node.value, bool | None):
                continue
            is_new = not any(_mentions(text, node.value) for text in program)
            if repr(node.value) in failing_constants and (answers_it or is_new):
                return f"It treats a value of a failing case as a case of its own: {_code(compared)}."
    return ""


def failing_constants(tests: Mapping[str, str], failing: Collection[str]) -> frozenset[str]:
    """Return the reprs of the constants in test files (path -> text), those of cases that do not fail left out.

    `failing` are case ids.
    """
    constants: set[str] = set()
    for path, text in tests.items():
        names = {case.partition("::")[2].partition("[")[0] for case in failing if case.startswith(f"{path}::")}
        tree = parse_or_none(text) if names else None
        if tree is None:
            continue
        pending: list[tuple[str, ast.AST]] = [("", node) for node in tree.body]
        while pending:
            prefix, node = pending.pop()
            if isinstance(node, FunctionNode) and node.name.startswith("test") and f"{prefix}{node.name}" not in names:
                continue
            if isinstance(node, ast.Constant):
                constants.add(repr(node.value))
            inner = f"{prefix}{node.name}::" if isinstance(node, ast.ClassDef) else prefix
            pending += [(inner, child) for child in ast.iter_child_nodes(node)]
    return frozenset(constants)


def _compared(change: TreeChange) -> Iterator[ast.AST]:
    """Yield the comparisons for equality that a change brings, or the side of one that it puts in."""
    inside, new = change.inside[-1] if change.inside else None, change.new
    if isinstance(inside, ast.Compare) and isinstance(new, ast.Constant) and len(inside.ops) == 1:
        new = ast.Compare(inside.left, inside.ops, [new])
    elif isinstance(inside, ast.Compare) and isinstance(new, ast.expr) and isinstance(inside.ops[0], _EQUALITY):
        yield new
    for node in ast.walk(new) if new is not None else ():
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], _EQUALITY):
            yield node


def _answers_one_value(node: ast.AST) -> bool:
    """Tell whether a statement is `if x == 1: return True`."""
    match node:
        case ast.If(test=ast.Compare(ops=[ast.Eq()]), body=[ast.Return(value=ast.Constant())], orelse=[]):
            return True
    return False


def _is_common(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return True
    return not any(map(str.isalnum, value)) if isinstance(value, str) else value in _COMMON


def _is_spelt_right(old: ast.AST | None, value: object) -> bool:
    if not isinstance(value, str) or not isinstance(old, ast.Constant) or not isinstance(old.value, str):
        return False
    return SequenceMatcher(None, old.value, value).ratio() >= _ALIKE


def _mentions(text: str, value: object) -> bool:
    """Tell whether a program's text has a number or text, if only in its words."""
    if isinstance(value, str):
        return value in text
    return re.search(rf"(?<![\w.]){re.escape(repr(value))}(?![\w.]*\w)", text) is not None


def _code(node: ast.AST) -> str:
    return f"`{one_line(ast.unparse(node), _SHOWN)}`"
