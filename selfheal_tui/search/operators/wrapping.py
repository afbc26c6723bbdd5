"""Wrapping: a value should pass through a common function first, or should not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.source import Source

from .base import Splice, operator, replace

_WRAPPERS = ("len", "abs", "sorted", "int", "str", "list", "set", "sum", "float", "round", "reversed")
_METHODS = (".strip()", ".lower()", ".copy()")
_PLACES = (
    ast.Return,
    ast.Assign,
    ast.AugAssign,
    ast.Call,
    ast.Compare,
    ast.For,
    ast.Subscript,
    ast.comprehension,
)


@operator("wrap", 2.4, "a value is used raw where a common function of it was meant")
def wrap(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Wrap a value in a common built-in or method."""
    if not isinstance(node, ast.Name | ast.Call | ast.BinOp | ast.Subscript | ast.Attribute):
        return
    parent = source.parents.get(node)
    if not isinstance(node, ast.BinOp) and not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return
    if not isinstance(parent, _PLACES) or _is_callee(parent, node) or source.function(node) is None:
        return
    inner = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    for name in _WRAPPERS:
        if name != inner:
            yield replace(source, node, f"{name}({source.segment(node)})")
    for call in _METHODS:
        yield replace(source, node, f"{source.operand(node)}{call}", 1.2)


@operator("unwrap", 2.2, "a call around a value is one too many")
def unwrap(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put the only argument of a call, or the object of a method call, in the call's place."""
    if not isinstance(node, ast.Call) or isinstance(source.parents.get(node), ast.Expr):
        return
    if len(node.args) == 1 and isinstance(node.func, ast.Name) and not isinstance(node.args[0], ast.Starred):
        inner = node.args[0]
        if not isinstance(inner, ast.GeneratorExp):
            yield replace(source, node, source.fitted(node, source.segment(inner)))
    elif not node.args and isinstance(node.func, ast.Attribute):
        yield replace(source, node, source.segment(node.func.value))


@operator("operand", 2.1, "one operand of a calculation is one too many")
def operand(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Keep only the left or only the right operand of an arithmetic expression."""
    if isinstance(node, ast.BinOp):
        for side in (node.left, node.right):
            yield replace(
                source,
                node,
                source.segment(side) if source.operand(side) == source.segment(side) else source.operand(side),
            )


def _is_callee(parent: ast.AST, node: ast.AST) -> bool:
    return (isinstance(parent, ast.Call) and parent.func is node) or (
        isinstance(parent, ast.Assign | ast.For) and getattr(parent, "value", getattr(parent, "iter", None)) is not node
    )
