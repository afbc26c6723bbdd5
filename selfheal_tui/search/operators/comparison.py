"""Comparison operators: boundaries first, then direction, equality and membership."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.source import Source

from .base import Splice, operator, token_between

_TOKEN = r"<=|>=|==|!=|<|>|\bnot\s+in\b|\bis\s+not\b|\bin\b|\bis\b"
_OTHERS: dict[type[ast.cmpop], tuple[tuple[str, float], ...]] = {
    ast.Lt: (("<=", 1.0), (">", 1.6), (">=", 1.6), ("!=", 2.0)),
    ast.LtE: (("<", 1.0), (">=", 1.6), (">", 1.6), ("==", 2.0)),
    ast.Gt: ((">=", 1.0), ("<", 1.6), ("<=", 1.6), ("!=", 2.0)),
    ast.GtE: ((">", 1.0), ("<=", 1.6), ("<", 1.6), ("==", 2.0)),
    ast.Eq: (("!=", 1.4), ("<=", 1.8), (">=", 1.8), ("<", 2.2), (">", 2.2), ("in", 2.6)),
    ast.NotEq: (("==", 1.4), ("<", 1.8), (">", 1.8)),
    ast.In: (("not in", 1.4), ("==", 2.2)),
    ast.NotIn: (("in", 1.4), ("!=", 2.2)),
    ast.Is: (("==", 1.2), ("is not", 1.4)),
    ast.IsNot: (("!=", 1.2), ("is", 1.4)),
}


@operator("comparison", 1.0, "a comparison draws the line in the wrong place")
def comparison(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap each comparison operator for its neighbours."""
    if not isinstance(node, ast.Compare):
        return
    operands = [node.left, *node.comparators]
    for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
        found = token_between(source, left, right, _TOKEN)
        if found is None:
            continue
        start, end = found
        for text, weight in _OTHERS[type(op)]:
            yield Splice(start, end, text, f"`{source.text[start:end]}` becomes `{text}`", weight)
