"""The calls that tests make, and what they compare them with, read from their text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from selfheal_tui.python_source import is_literal, parse_or_none

_WRAPPERS = frozenset({"abs", "bool", "dict", "float", "int", "len", "list", "round", "set", "sorted", "str", "tuple"})

EQUAL_ASSERTIONS = frozenset(
    {"assertEqual", "assertEquals", "assertIs", "assertListEqual", "assertDictEqual", "assertTupleEqual"}
)
"""Assertions of unittest that compare their first two arguments."""
_TOLD = {"assertTrue": ast.Constant(True), "assertFalse": ast.Constant(False), "assertIsNone": ast.Constant(None)}


def compared_calls(tests: Mapping[str, str]) -> Iterator[tuple[str, ast.expr, ast.expr]]:
    """Yield (case id, call, literal) of the assertions that compare a call with a literal, either way round.

    `tests` is path -> text. A name that the case itself gives to a function is replaced by the function's.
    """
    for path, text in tests.items():
        tree = parse_or_none(text)
        for name, node in _test_functions(tree) if tree is not None else ():
            renamed = _Renamed(node)
            for check in ast.walk(node):
                if (pair := _compared(check)) is not None:
                    yield f"{path}::{name}", renamed.visit(pair[0]), pair[1]


def _test_functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the test functions of a file and the methods of its test classes, by what follows the path in their ids."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name.startswith("test"):
                    yield f"{node.name}::{method.name}", method


def imported_names(text: str) -> set[str]:
    """Return the names that a file's imports bind."""
    tree = parse_or_none(text)
    imports = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)] if tree is not None else []
    return {alias.asname or alias.name.partition(".")[0] for node in imports for alias in node.names}


def innermost(call: ast.expr) -> ast.expr:
    """Return the call within `len(...)`, `sorted(...)` and the like."""
    while True:
        match call:
            case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _WRAPPERS:
                call = inner
            case _:
                return call


class _Renamed(ast.NodeTransformer):
    """Undoes `candidate = f` and `candidate = shop.f` in a case."""

    def __init__(self, case: ast.FunctionDef) -> None:
        self._names: dict[str, ast.expr] = {}
        for node in case.body:
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=name)], value=ast.Name() | ast.Attribute(value=ast.Name()) as value
                ):
                    self._names[name] = value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name that the case gave the function by the function's own."""
        return self._names.get(node.id, node)


def _compared(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    match node:
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right])):
            for call, literal in ((left, right), (right, left)):
                if isinstance(call, ast.Call) and is_literal(literal):
                    return call, literal
        case ast.Assert(test=ast.Call() as call):
            return call, ast.Constant(True)
        case ast.Assert(test=ast.UnaryOp(op=ast.Not(), operand=ast.Call() as call)):
            return call, ast.Constant(False)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=[ast.expr() as left, *others]):
            told: ast.expr | None = others[0] if name in EQUAL_ASSERTIONS and others else _TOLD.get(name)
            return _compared(ast.Assert(ast.Compare(left, [ast.Eq()], [told]))) if told is not None else None
    return None
