"""Reuse: a value stands where another calculation of the same function was meant."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, ranked
from .kinds import NUMBERS, SIZED, Kinds, kinds
from .scope import bound_at_top, editable, expressions, functions, kin, owner, scope

_BUILTINS = frozenset(dir(builtins))
_MOST_UNKNOWN = 25


@operator("reuse", 4.6, "another calculation of the function was meant here")
def reuse(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put a calculation of the same function in the place of a value."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Lambda) or not editable(source, node):
        return
    kind = kinds(source, node)
    visible = scope(source, node).keys() | functions(source).keys() | _BUILTINS | bound_at_top(source)
    same: list[str] = []
    unknown: list[str] = []
    for text, (free, its) in expressions(source, owner(source, node)).items():
        related = kin(kind, its)
        if related is not False and free <= visible:
            (same if related else unknown).append(text)
    yield from ranked(source, node, same, 0.6)
    yield from ranked(source, node, unknown[:_MOST_UNKNOWN], 0.6, 0.8)


@operator("simpler", 3.8, "a variable was meant where a calculation stands")
def simpler(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put a variable, or its length, in the place of a calculation."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Name | ast.Constant | ast.Lambda):
        return
    if not editable(source, node):
        return
    kind, visible = kinds(source, node), scope(source, node)
    near = [name for name, its in visible.items() if kin(kind, its)]
    if kind & NUMBERS:
        near += [f"len({name})" for name, its in visible.items() if its & SIZED]
    yield from ranked(source, node, near, 0.6)
    yield from ranked(source, node, _unrelated(kind, visible), 0.6, 0.9)


def _unrelated(kind: Kinds, visible: dict[str, Kinds]) -> list[str]:
    return [name for name, its in visible.items() if kin(kind, its) is None]
