"""How objects are compared: `__eq__` is not at fault where a failing case shows that the objects do differ. Pure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from selfheal_tui.python_source import Definition, parse_or_none
from selfheal_tui.sandbox.base import CaseResult, SuiteReport

from .avoid import Avoid, functions_of
from .localise import is_failing

_UNSEEN = (" object at 0x", "...")
"""In what a failure shows: it does not tell objects apart."""
_COMPARE = frozenset({"__eq__", "__ne__"})


def without_fair_judges(
    avoid: Avoid,
    files: Mapping[str, str],
    program: Collection[str],
    report: SuiteReport,
    hints: Collection[tuple[str, int]] = (),
    states: Mapping[str, tuple[str, str]] = MappingProxyType({}),
) -> Avoid:
    """Return what is closed to the search, with the `__eq__` and `__ne__` of classes whose objects rightly differ.

    `Money(1111, 'EUR') == Money(900, 'EUR')` is false, and a test that worked one of them out says so: an `__eq__` that
    took them for equal would mend it without mending anything. Open stays one by which objects that look alike differ,
    whose objects a test only makes and compares, or that has a line among `hints` (path, 1-based). `states` are what
    the objects hold where a failure does not show it: case -> that of both sides.
    """
    judges = _judges({path: files[path] for path in program if path in files}, hints)
    fair: set[str] = set()
    for case in report["cases"] if judges else ():
        left, _, right = case["message"].partition("\n")[0].removeprefix("assert ").partition(" == ")
        left, right = states.get(case["id"], (left, right))
        if not is_failing(case) or not right or any(sign in left + right for sign in _UNSEEN):
            continue
        asserted = _assertion(case, files)
        made = {node.func.id for node in asserted if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        if left == right:
            judges = {name: where for name, where in judges.items() if name not in made and f"{name}(" not in left}
        elif _is_worked_out(asserted, _helpers(case, files), judges):
            fair |= made
    closed = {at for name in fair & judges.keys() for at in judges[name]}
    return replace(avoid, functions=avoid.functions | closed) if closed else avoid


def unseen_sides(files: Mapping[str, str], report: SuiteReport) -> dict[str, tuple[str, str]]:
    """Return both sides of the comparisons at which cases failed that show only where their objects are in memory.

    As source text, by case; only such as name nothing that their file binds.
    """
    found: dict[str, tuple[str, str]] = {}
    for case in report["cases"]:
        if is_failing(case) and _UNSEEN[0] in case["message"].partition("\n")[0]:
            nodes = _assertion(case, files)
            match nodes[:1]:
                case [ast.Compare(left=left, comparators=[right])] if not _bound(case, files).intersection(
                    node.id for node in nodes if isinstance(node, ast.Name)
                ):
                    found[case["id"]] = ast.unparse(left), ast.unparse(right)
    return found


def _bound(case: CaseResult, files: Mapping[str, str]) -> set[str]:
    """Return the names that the functions of a test's file bind, with their parameters."""
    nodes = _nodes(case, files)
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return names | {node.arg for node in nodes if isinstance(node, ast.arg)}


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


def _assertion(case: CaseResult, files: Mapping[str, str]) -> list[ast.AST]:
    """Return what is in the comparison for equality at which a case failed."""
    line = (case["location"] or "").rpartition(":")[2]
    for node in _nodes(case, files) if line.isdecimal() else ():
        match node:
            case ast.Assert(test=ast.Compare(ops=[ast.Eq()])) if node.lineno <= int(line) <= (node.end_lineno or 0):
                return [*ast.walk(node.test)]
    return []


def _helpers(case: CaseResult, files: Mapping[str, str]) -> set[str]:
    """Return the functions and classes of the file of a test: what they make is made by the test."""
    return {node.name for node in _nodes(case, files) if isinstance(node, Definition)}


def _nodes(case: CaseResult, files: Mapping[str, str]) -> list[ast.AST]:
    """Return what is in the file at which a case failed."""
    tree = parse_or_none(files.get((case["location"] or "").rpartition(":")[0], ""))
    return [*ast.walk(tree)] if tree is not None else []


def _is_worked_out(asserted: Sequence[ast.AST], helpers: Collection[str], classes: Collection[str]) -> bool:
    """Tell whether the program worked out a side of an assertion, which no test and no class just made."""
    for node in asserted:
        match node:
            case ast.BinOp() | ast.Call(func=ast.Attribute()):
                return True
            case ast.Call(func=ast.Name(id=name)) if name not in helpers and name not in classes:
                return True
    return False
