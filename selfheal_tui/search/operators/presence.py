"""Values that are there but false (0, an empty text) and are taken for missing: `if cache.get(key)`, `x or default`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, ranked
from .fitting import COMPARISON, OR, grouped
from .kinds import kinds
from .scope import is_value

_READS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


@operator("presence", 2.2, "a value that is there but false is taken for a missing one")
def presence(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Ask whether a value is None, or whether a key is there, where the truth of a value is asked for."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand) if isinstance(operand, _READS):
            yield from ranked(source, node, _questions(source, operand, missing=True), 0.6)
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call() if _is_asked(source, node):
            yield from ranked(source, node, _questions(source, node, missing=False), 0.6)
        case ast.BoolOp(op=ast.Or(), values=[first, other]) if isinstance(first, _READS) and is_value(source, node):
            yield from ranked(source, node, _defaults(source, first, other), 0.6)


def _is_asked(source: Source, node: ast.expr) -> bool:
    """Tell whether only the truth of an expression counts."""
    parent = source.parents.get(node)
    if isinstance(parent, ast.BoolOp):
        return _is_asked(source, parent)
    return isinstance(parent, ast.If | ast.While | ast.IfExp) and parent.test is node


def _questions(source: Source, node: ast.expr, missing: bool) -> Iterator[str]:
    if kinds(source, node) == {"bool"}:
        return
    match node:
        case ast.Call(func=ast.Attribute(value=whole, attr="get"), args=[key], keywords=[]):
            where = grouped(source.segment(whole), COMPARISON)
            yield f"{grouped(source.segment(key), COMPARISON)} {'not in' if missing else 'in'} {where}"
    yield f"{source.segment(node)} {'is None' if missing else 'is not None'}"


def _defaults(source: Source, first: ast.expr, other: ast.expr) -> Iterator[str]:
    own, default = source.segment(first), grouped(source.segment(other), OR)
    match first:
        case ast.Call(func=ast.Attribute(attr="get"), args=[_], keywords=[]):
            yield f"{own[:-1]}, {source.segment(other)})"
    yield f"{default} if {own} is None else {own}"
