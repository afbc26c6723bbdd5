"""Logic: and/or, a negation too many or too few, a condition that is not needed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.source import Source

from .base import Splice, operator, quoted, replace, token_between


@operator("logic", 1.3, "conditions are joined the wrong way")
def logic(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap `and` with `or` at one joint, group the last two operands, or drop one."""
    if not isinstance(node, ast.BoolOp):
        return
    word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in zip(node.values, node.values[1:], strict=False):
        found = token_between(source, left, right, rf"\b{word}\b")
        if found is not None:
            yield Splice(*found, other, f"`{word}` becomes `{other}` before {quoted(source.segment(right))}")
    texts = [source.segment(value) for value in node.values]
    for place in range(len(texts)):
        rest = [source.operand(v) if isinstance(v, ast.BoolOp) else t for v, t in zip(node.values, texts, strict=True)]
        del rest[place]
        start, end = source.span(node)
        text = f" {word} ".join(rest)
        yield Splice(start, end, text, f"the condition {quoted(texts[place])} goes", 1.7)


@operator("negation", 1.5, "a condition is negated and should not be, or the other way round")
def negation(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Drop a `not`, or negate a whole condition."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield replace(source, node, source.operand(node.operand))
    elif isinstance(node, ast.expr) and _is_condition(source, node) and not isinstance(node, ast.Compare):
        yield replace(source, node, source.fitted(node, f"not {source.operand(node)}"), 1.2)


def _is_condition(source: Source, node: ast.expr) -> bool:
    parent = source.parents.get(node)
    if isinstance(parent, ast.If | ast.While | ast.IfExp | ast.Assert):
        return parent.test is node
    if isinstance(parent, ast.comprehension):
        return node in parent.ifs
    return isinstance(parent, ast.BoolOp)
