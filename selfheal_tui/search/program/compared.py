"""How objects are compared: `__eq__` is not at fault where a failing case shows that the objects do differ. Pure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import replace

from selfheal_tui.python_source import Definition, parse_or_none
from selfheal_tui.sandbox.base import CaseResult, SuiteReport

from .avoid import Avoid, functions_of
from .localise import is_failing

_COMPARE = frozenset({"__eq__", "__ne__"})


def without_fair_judges(
    avoid: Avoid,
    files: Mapping[str, str],
    program: Collection[str],
    report: SuiteReport,
    hints: Collection[tuple[str, int]] = (),
) -> Avoid:
    """Return what is closed to the search, with the `__eq__` and `__ne__` of classes whose objects rightly differ.

    `Money(1111, 'EUR') == Money(900, 'EUR')` is false, and a test that worked one of them out says so: an `__eq__` that
    took them for equal would mend it without mending anything. Open stays one by which objects that look alike differ,
    whose objects a test only makes and compares, or that has a line among `hints` (path, 1-based).
    """
    judges = _judges({path: files[path] for path in program if path in files}, hints)
    if not judges:
        return avoid
    fair: set[str] = set()
    for case in report["cases"]:
        sides = _sides(case["message"].partition("\n")[0].removeprefix("assert ")) if is_failing(case) else None
        if sides is None:
            continue
        left, right = (_made(side, judges) for side in sides)
        if ast.dump(sides[0]) == ast.dump(sides[1]):
            judges = {name: where for name, where in judges.items() if name not in left}
        elif left & right and _is_worked_out(case, files, judges):
            fair |= left & right
    closed = {at for name in fair & judges.keys() for at in judges[name]}
    return replace(avoid, functions=avoid.functions | closed) if closed else avoid


def _judges(program: Mapping[str, str], hints: Collection[tuple[str, int]]) -> dict[str, set[tuple[str, str]]]:
    """Return the methods (path, qualified name) by which the objects of each class are compared."""
    found: dict[str, set[tuple[str, str]]] = {}
    for path, text in program.items():
        tree = parse_or_none(text) if any(name in text for name in _COMPARE) else None
        for name, lines in functions_of(tree) if tree is not None else ():
            owner, _, method = name.rpartition(".")
            if owner and method in _COMPARE and not any(where == path and line in lines for where, line in hints):
                found.setdefault(owner.rpartition(".")[2], set()).add((path, name))
    return found


def _sides(text: str) -> tuple[ast.expr, ast.expr] | None:
    """Return both sides of a comparison for equality."""
    tree = parse_or_none(text)
    match tree.body if tree is not None else ():
        case [ast.Expr(value=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]))]:
            return left, right
    return None


def _made(side: ast.expr, classes: Collection[str]) -> set[str]:
    """Return the classes of the objects that one side shows, or of which it shows a sum: `Money(1) + Money(2)`."""
    nodes = [*ast.walk(side)]
    if any(isinstance(node, ast.Attribute | ast.Compare | ast.Subscript) for node in nodes):
        return set()
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    return called & set(classes)


def _is_worked_out(case: CaseResult, files: Mapping[str, str], classes: Collection[str]) -> bool:
    """Tell whether the program worked out one side of the assertion at which a case failed."""
    path, _, line = (case["location"] or "").rpartition(":")
    tree = parse_or_none(files.get(path, "")) if line.isdecimal() else None
    if tree is None:
        return False
    helpers = {node.name for node in ast.walk(tree) if isinstance(node, Definition)}
    for node in ast.walk(tree):
        match node:
            case ast.Assert(test=ast.Compare(ops=[ast.Eq()])) if node.lineno <= int(line) <= (node.end_lineno or 0):
                return any(_works(part, helpers, classes) for part in ast.walk(node.test))
    return False


def _works(node: ast.AST, helpers: Collection[str], classes: Collection[str]) -> bool:
    match node:
        case ast.BinOp() | ast.Call(func=ast.Attribute()):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name not in helpers and name not in classes
    return False
