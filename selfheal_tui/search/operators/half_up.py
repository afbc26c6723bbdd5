"""A half is rounded up: `round(2.5)` is 2, and `int` cuts off, where 3 was meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, replace
from .fitting import SUM, grouped

_CUT = frozenset({"int", "round", "floor", "trunc"})


@operator("half_up", 3.2, "a half is not rounded up")
def half_up(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Add a half before what follows the point is cut off, and half of what a whole number is divided by."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[value], keywords=[]) if name in _CUT:
            if isinstance(value, ast.Constant):
                return
            text = grouped(source.segment(value), SUM)
            yield replace(source, node, f"int({text} + 0.5)")
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            text, by = grouped(source.segment(left), SUM), grouped(source.segment(right), SUM + 2)
            half = _half_of(right) or f"{by} // 2"
            yield replace(source, node, f"({text} + {half}) // {by}", 1.0, 0.6)


def _half_of(node: ast.expr) -> str:
    """Return the half of an even number as text; empty for anything else."""
    match node:
        case ast.Constant(value=int() as value) if value > 0 and value % 2 == 0:
            return str(value // 2)
    return ""
