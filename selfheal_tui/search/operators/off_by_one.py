"""Off by one: integer constants, and bounds of ranges, slices, indexes, comparisons and results."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.source import Source

from .base import Splice, operator, replace

_NUMERIC = (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript)


@operator("off_by_one", 1.1, "a number or a bound is one too small or too large")
def off_by_one(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Move an integer constant or a bound by one."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        if _negated(source, node):
            yield replace(source, node, str(node.value + 1))
            if node.value > 0:
                yield replace(source, node, str(node.value - 1))
        else:
            yield replace(source, node, str(node.value + 1))
            yield replace(
                source,
                node,
                source.fitted(node, str(node.value - 1)) if node.value < 1 else str(node.value - 1),
            )
        return
    if not isinstance(node, _NUMERIC):
        return
    weight = _bound_weight(source, node)
    if weight is None:
        return
    drop = _without_one(source, node)
    if drop is not None:
        yield replace(source, node, drop, 0.9)
    text = (
        source.segment(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)
        else source.operand(node)
    )
    for sign in "+-":
        yield replace(source, node, source.fitted_sum(node, f"{text} {sign} 1"), weight)


def _negated(source: Source, node: ast.Constant) -> bool:
    parent = source.parents.get(node)
    return isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.USub)


def _without_one(source: Source, node: ast.expr) -> str | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        right = node.right
        if isinstance(right, ast.Constant) and right.value == 1 and type(right.value) is int:
            return source.segment(node.left)
    return None


def _bound_weight(source: Source, node: ast.expr) -> float | None:
    """Return how likely a +-1 slip is at this place; None where a number makes no sense."""
    parent = source.parents.get(node)
    if isinstance(parent, ast.Slice):
        return 1.1
    if isinstance(parent, ast.Call) and node in parent.args:
        name = parent.func.id if isinstance(parent.func, ast.Name) else ""
        return (
            1.1
            if name == "range"
            else 2.2
            if name not in ("len", "sorted", "str", "list", "set", "isinstance")
            else None
        )
    if isinstance(parent, ast.Subscript) and parent.slice is node:
        return 1.5
    if isinstance(parent, ast.Compare) and any(
        isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in parent.ops
    ):
        return 1.5
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mult | ast.FloorDiv | ast.Mod | ast.Add | ast.Sub):
        return 1.8 if not isinstance(node, ast.Call) else 2.2
    if isinstance(parent, ast.Return | ast.Assign | ast.AugAssign) and parent.value is node:
        return 2.2
    return None
