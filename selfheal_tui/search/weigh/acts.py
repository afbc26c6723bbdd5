"""Conditions that change something as they ask: `if n > reserved.get(k)` becomes `if n > reserved.pop(k)`. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from selfheal_tui.text import one_line

from .tree_changes import TreeChange

MUTATORS = frozenset(
    {"add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "insert", "pop", "popitem", "popleft"}
    | {"remove", "reverse", "rotate", "setdefault", "sort", "update"}
)
"""Methods that change their object."""
_FUNCTIONS = frozenset({"delattr", "heapify", "heappop", "heappush", "heappushpop", "heapreplace", "next", "setattr"})
"""Functions that change what they are given."""
_SHOWN = 40
"""Most characters of code in a sentence."""


def acting_condition(change: TreeChange, before: ast.Module) -> str:
    """Say which condition changes something after the change, where it only asked; `before` is the whole old tree."""
    new = change.new
    if new is None:
        return ""
    asks = _is_asked((*change.inside, change.old) if change.old is not None else change.inside)
    called = _is_called(change)
    if change.old is not None and any(True for _ in _acts(change.old, before, called)):
        return ""
    for part in [new] if asks else _conditions(new):
        for act in _acts(part, before, called and part is new):
            return f"It changes something where it should only ask: `{one_line(ast.unparse(act), _SHOWN)}`."
    return ""


def tests_of(node: ast.AST) -> list[ast.expr]:
    """Return the conditions that a statement, a conditional expression or a comprehension asks."""
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            return [test]
        case ast.comprehension(ifs=ifs):
            return ifs
    return []


def _acts(node: ast.AST, before: ast.Module, called: bool) -> Iterator[ast.AST]:
    """Yield what changes something in an expression; a node that is `called` stands before arguments."""
    for part in ast.walk(node):
        match part:
            case ast.Call(func=ast.Attribute(attr=name)) if name in MUTATORS:
                yield part
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _FUNCTIONS:
                # `next((x for x in xs if ...), None)` takes from nothing that is there.
                if not any(isinstance(arg, ast.GeneratorExp) for arg in part.args[:1]):
                    yield part
            case ast.NamedExpr(target=ast.Name(id=name)) if _binds(before, name):
                yield part
            case ast.Attribute(attr=name) if called and part is node and name in MUTATORS:
                yield part


def _binds(tree: ast.Module, name: str) -> bool:
    return any(
        (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.arg) and node.arg == name)
        for node in ast.walk(tree)
    )


def _is_called(change: TreeChange) -> bool:
    owner = change.inside[-1] if change.inside else None
    return isinstance(owner, ast.Call) and owner.func is change.old


def _is_asked(path: tuple[ast.AST, ...]) -> bool:
    """Tell whether the last node of a path, outermost first, is part of a condition or a comparison."""
    for outer, inner in pairwise(path):
        if isinstance(inner, ast.stmt):
            continue
        if isinstance(outer, ast.Compare) or any(inner is test for test in tests_of(outer)):
            return True
    return False


def _conditions(node: ast.AST) -> Iterator[ast.expr]:
    for part in ast.walk(node):
        yield from tests_of(part)
        if isinstance(part, ast.Compare):
            yield part
