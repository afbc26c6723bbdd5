"""Conditions that a change turns round though only one case runs them: `in` becomes `not in`. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from itertools import combinations

from selfheal_tui.sandbox.base import Coverage
from selfheal_tui.text import one_line

from ..program.mark import Mark
from .shared_trees import shared_changes
from .tree_changes import TreeChange

_SHOWN = 40
"""Most characters of code in a sentence."""
_OPPOSITES = frozenset(
    frozenset(pair)
    for pair in (
        (ast.In, ast.NotIn),
        (ast.Eq, ast.NotEq),
        (ast.Is, ast.IsNot),
        (ast.Lt, ast.GtE),
        (ast.Gt, ast.LtE),
    )
)


def turned_marks(program: Mapping[str, str], changes: Mapping[str, str], coverage: Coverage) -> tuple[Mark, ...]:
    """Return the mark of a condition that `changes` (path -> new text) turn round, where one case at most runs it.

    What the condition gave before stood against no other case, so nothing shows that it was wrong everywhere.
    `coverage` is that of the program before.
    """
    for path, text in changes.items():
        differing = shared_changes(program.get(path, ""), text)
        for condition in [*filter(None, map(_turned, differing)), *_swapped(differing)]:
            if sum(condition.lineno in lines.get(path, ()) for lines in coverage.values()) == 1:
                code = one_line(ast.unparse(condition), _SHOWN)
                return (Mark("turned", f"It turns the condition `{code}` round, and only one case runs it."),)
    return ()


def _turned(change: TreeChange) -> ast.expr | None:
    """Return a condition that is its opposite after the change; None for any other change."""
    match change:
        case TreeChange(old=ast.cmpop() as old, new=ast.cmpop() as new, inside=(*_, ast.Compare() as condition)):
            return condition if {type(old), type(new)} in _OPPOSITES else None
        case TreeChange(old=ast.expr() as old, new=ast.UnaryOp(op=ast.Not(), operand=operand)):
            return old if ast.dump(old) == ast.dump(operand) else None
        case TreeChange(old=ast.UnaryOp(op=ast.Not(), operand=operand) as old, new=ast.expr() as new):
            return old if ast.dump(new) == ast.dump(operand) else None
    return None


def _swapped(changes: list[TreeChange]) -> list[ast.expr]:
    """Return the conditions whose two values change places: `a if c else b` becomes `b if c else a`."""
    return [
        owner.test
        for one, other in combinations(changes, 2)
        if one.inside and other.inside and (owner := one.inside[-1]) is other.inside[-1]
        if isinstance(owner, ast.IfExp)
        and {_dump(one.old), _dump(other.old)} == {_dump(owner.body), _dump(owner.orelse)}
        if (_dump(one.old), _dump(other.old)) == (_dump(other.new), _dump(one.new))
    ]


def _dump(node: ast.AST | None) -> str:
    return ast.dump(node) if node is not None else ""
