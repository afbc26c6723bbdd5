"""Grouping: a calculation whose parentheses or precedence part it in the wrong place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .arithmetic import TOKEN
from .base import Splice, operator, replace, token_between
from .fitting import AND, NOT, POWER, PRODUCT, UNARY, grouped


@operator("grouping", 2.5, "a calculation is grouped the wrong way")
def grouping(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Regroup three operands, or let the last two change places with their operators."""
    if not isinstance(node, ast.BinOp):
        return
    outer = _token(source, node)
    for inner in (node.left, node.right):
        if outer is None or not isinstance(inner, ast.BinOp):
            continue
        token = _token(source, inner)
        if token is None:
            continue
        nested_left = inner is node.left
        texts = (inner.left, inner.right, node.right) if nested_left else (node.left, inner.left, inner.right)
        a, b, c = (grouped(source.segment(part), POWER) for part in texts)
        first, second = (token, outer) if nested_left else (outer, token)
        yield replace(
            source, node, f"{a} {first} ({b} {second} {c})" if nested_left else f"({a} {first} {b}) {second} {c}"
        )
        yield replace(source, node, f"({a} {second} {c}) {first} {b}", 1.0, 0.8)


@operator("chain", 2.8, "a calculation applies to its last term only")
def chain(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Let the last operator of a sum apply to the whole sum, and the other way round."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add | ast.Sub):
        return
    last = node.right
    outer = _token(source, node)
    if isinstance(last, ast.BinOp) and outer is not None and isinstance(node.left, ast.BinOp):
        token = _token(source, last)
        whole = f"{source.segment(node.left)} {outer} {grouped(source.segment(last.left), PRODUCT)}"
        if token is not None:
            yield replace(source, node, f"({whole}) {token} {grouped(source.segment(last.right), UNARY)}")


@operator("logic_grouping", 2.8, "conditions are grouped the wrong way")
def logic_grouping(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Put `or` before `and` in a mixed condition, or let a `not` hold for the whole of it."""
    if not isinstance(node, ast.BoolOp):
        return
    word = "and" if isinstance(node.op, ast.And) else "or"
    values = node.values
    for place, inner in enumerate(values):
        if not isinstance(inner, ast.BoolOp):
            continue
        other = "and" if isinstance(inner.op, ast.And) else "or"
        parts = [grouped(source.segment(value), NOT) for value in inner.values]
        rest = [grouped(source.segment(value), AND) for value in (*values[:place], *values[place + 1 :])]
        joined = f" {word} ".join(rest)
        if place:
            group = f"({joined} {word} {parts[0]})"
            yield replace(source, node, f" {other} ".join([group, *parts[1:]]))
        else:
            group = f"({parts[-1]} {word} {joined})"
            yield replace(source, node, f" {other} ".join([*parts[:-1], group]))
    first = values[0]
    if isinstance(first, ast.UnaryOp) and isinstance(first.op, ast.Not):
        texts = [grouped(source.segment(value), NOT) for value in (first.operand, *values[1:])]
        yield replace(source, node, f"not ({f' {word} '.join(texts)})", 1.0, 0.5)


def _token(source: Source, node: ast.BinOp) -> str | None:
    token = token_between(source, node.left, node.right, TOKEN)
    return source.text[slice(*token)] if token is not None else None
