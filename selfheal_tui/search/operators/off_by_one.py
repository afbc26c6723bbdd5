"""Off by one: integer constants, and bounds of ranges, slices, indexes, comparisons and results."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, replace
from .fitting import SUM, grouped
from .kinds import NUMBERS, kinds
from .scope import editable

_TABLES = (ast.List, ast.Tuple, ast.Set, ast.Dict)
_NEAR = (ast.Subscript, ast.Slice, ast.Compare, ast.Return, ast.Assign)


@operator("off_by_one", 1.5, "a number or a bound is one too small or too large")
def off_by_one(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Move an integer constant or a bound by one."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        extra = _constant_extra(source, node)
        if _negated(source, node):
            yield replace(source, node, str(node.value + 1), 1.0, extra)
            negative = source.parents.get(node)
            if node.value == 1 and isinstance(negative, ast.UnaryOp):
                yield replace(source, negative, "0", 1.0, extra)
            elif node.value > 0:
                yield replace(source, node, str(node.value - 1), 1.0, extra)
        else:
            yield replace(source, node, str(node.value + 1), 1.0, extra)
            whole = _whole(source, node) if node.value == 1 else None
            if whole is not None:
                yield replace(source, whole, source.segment(whole.value), 1.0, extra + 0.2)
            else:
                yield replace(source, node, str(node.value - 1), 1.0, extra + 0.2)
        return
    if not isinstance(node, ast.expr) or not editable(source, node) or isinstance(node, ast.Constant | ast.Lambda):
        return
    extra_or_none = _bound_extra(source, node)
    if extra_or_none is None:
        return
    text = source.segment(node)
    drop = _without_one(source, node)
    if drop is not None:
        yield replace(source, node, drop, 1.0, extra_or_none - 0.3)
    for place, sign in enumerate("+-"):
        yield replace(source, node, f"{grouped(text, SUM)} {sign} 1", 1.0, extra_or_none + 0.2 * place)


@operator("both_indexes", 4.0, "both indexes are one too small or too large")
def both_indexes(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Move both parts of a two-part index, or both bounds of a range or slice, by one."""
    match node:
        case ast.Subscript(slice=ast.Tuple(elts=[first, second])):
            pass
        case ast.Call(func=ast.Name(id="range"), args=[first, second]):
            if isinstance(first, ast.Constant) and first.value == 1 and type(first.value) is int:
                yield replace(source, node, f"range({_moved(source, second, '+')})", 1.0, 0.4)
        case ast.Subscript(slice=ast.Slice(lower=ast.expr() as first, upper=ast.expr() as second)):
            pass
        case _:
            return
    if not all(isinstance(part, ast.Name | ast.BinOp | ast.Constant | ast.Call) for part in (first, second)):
        return
    start, end = source.span(first)[0], source.span(second)[1]
    between = source.text[source.span(first)[1] : source.span(second)[0]]
    for sign in "+-":
        texts = [_moved(source, part, sign) for part in (first, second)]
        yield Splice(start, end, between.join(texts), f"both bounds move by {sign}1")


def _whole(source: Source, node: ast.Constant) -> ast.Subscript | None:
    """Return the slice that a loop goes through and that begins at `node`, with no other bound: from 0 it is all."""
    part = source.parents.get(node)
    cut = source.parents.get(part) if isinstance(part, ast.Slice) else None
    loop = source.parents.get(cut) if cut is not None else None
    match cut, loop:
        case (
            ast.Subscript(slice=ast.Slice(upper=None, step=None)),
            ast.For(iter=walked) | ast.comprehension(iter=walked),
        ) if walked is cut:
            return cut
    return None


def _moved(source: Source, node: ast.expr, sign: str) -> str:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return str(node.value + (1 if sign == "+" else -1))
    return f"{grouped(source.segment(node), SUM)} {sign} 1"


def _negated(source: Source, node: ast.Constant) -> bool:
    parent = source.parents.get(node)
    return isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.USub)


def _without_one(source: Source, node: ast.expr) -> str | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        right = node.right
        if isinstance(right, ast.Constant) and right.value == 1 and type(right.value) is int:
            return source.segment(node.left)
    return None


def _constant_extra(source: Source, node: ast.Constant) -> float:
    parent = source.parents.get(node)
    if isinstance(parent, ast.UnaryOp):
        parent = source.parents.get(parent)
    if isinstance(parent, _TABLES):
        return 2.0
    if isinstance(parent, ast.Call):
        return 0.0 if isinstance(parent.func, ast.Name) and parent.func.id == "range" else 0.7
    if isinstance(parent, ast.BinOp):
        return 0.0 if isinstance(parent.op, ast.Add | ast.Sub) else 0.7
    return 0.0 if isinstance(parent, _NEAR) else 0.7


def _bound_extra(source: Source, node: ast.expr) -> float | None:
    """Return how many bits unlikelier than a constant a slip at this place is; None where a number makes no sense."""
    parent = source.parents.get(node)
    kind = kinds(source, node)
    if kind and not kind & NUMBERS:
        return None
    if isinstance(parent, ast.Slice) or (isinstance(parent, ast.Subscript) and parent.slice is node):
        return 0.5
    if isinstance(parent, ast.Call) and node in parent.args:
        name = parent.func.id if isinstance(parent.func, ast.Name) else ""
        return 0.5 if name == "range" else 1.5 if kind else 3.0
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add | ast.Sub) and parent.right is node:
        return None if not isinstance(node, ast.BinOp) else 2.0
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        return 0.5
    return 1.8 if kind else 2.6
