"""Logic: and/or, a negation too many or too few, a condition that is not needed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, quoted, replace, token_between
from .fitting import AND, COMPARISON, NOT, grouped

_LONGEST = 8


@operator("logic", 1.5, "conditions are joined the wrong way")
def logic(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap `and` with `or` at one joint or at all, or drop one condition."""
    if not isinstance(node, ast.BoolOp) or len(node.values) > _LONGEST:
        return
    word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    level = AND if word == "and" else NOT
    parts = [grouped(source.segment(value), level) for value in node.values]
    yield replace(source, node, f" {other} ".join(grouped(part, NOT) for part in parts))
    for left, right in zip(node.values, node.values[1:], strict=False):
        token = token_between(source, left, right, rf"\b{word}\b")
        if token is not None and len(parts) > 2:
            yield Splice(*token, other, f"`{word}` becomes `{other}` before {quoted(source.segment(right))}", 1.0, 0.8)
    start, end = source.span(node)
    for place, gone in enumerate(parts):
        rest = parts[:place] + parts[place + 1 :]
        text = replace(source, node, f" {word} ".join(rest)).text
        yield Splice(start, end, text, f"the condition {quoted(gone)} is removed", 1.0, 1.5)
        if len(parts) > 2:
            yield replace(source, node, f"({f' {word} '.join(rest)}) {other} {grouped(gone, NOT)}", 1.0, 1.7)


@operator("negation", 2.0, "a condition is negated and should not be, or the other way round")
def negation(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Drop a `not`, or negate a whole condition."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield replace(source, node, source.segment(node.operand))
    elif isinstance(node, ast.expr) and _is_condition(source, node) and not isinstance(node, ast.Compare):
        yield replace(source, node, f"not {grouped(source.segment(node), COMPARISON)}", 1.0, 0.2)


def _is_condition(source: Source, node: ast.expr) -> bool:
    parent = source.parents.get(node)
    if isinstance(parent, ast.If | ast.While | ast.IfExp | ast.Assert):
        return parent.test is node
    if isinstance(parent, ast.comprehension):
        return node in parent.ifs
    if isinstance(parent, ast.Return):
        return isinstance(node, ast.BoolOp | ast.Call)
    return isinstance(parent, ast.BoolOp)
