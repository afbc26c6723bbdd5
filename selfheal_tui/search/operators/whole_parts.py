"""Parts that are begun count as whole ones, and shares are told per hundred: what the words beside a division say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, replace
from .fitting import PRODUCT, UNARY, grouped

_BEGUN = re.compile(
    r"\b(started|begun|commenced|part of|ceil(ing)?|round(ed|s)? up|up to the next|as many as|enough|needed)\b",
    re.IGNORECASE,
)
_PER_CENT = re.compile(r"\}%|\d ?%|%['\"]|\bper ?cent|\bpercentage\b|\bpct\b|_pct\b|_percent", re.IGNORECASE)
_NOT_SAID = 2.0
"""Bits more where neither the name of the function nor its text says so."""


@operator("rounded_up", 1.6, "a part that is begun does not count")
def rounded_up(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `a // b` into `-(-a // b)`, which rounds up: likelier where words tell of what is begun."""
    match node:
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right) if not isinstance(left, ast.UnaryOp):
            text = f"-(-{grouped(source.segment(left), UNARY)} // {grouped(source.segment(right), PRODUCT + 1)})"
            yield replace(source, node, text, 1.0, 0.0 if _says(source, node, _BEGUN) else _NOT_SAID)


@operator("per_hundred", 3.6, "a share is not told per hundred, or what is per hundred is taken for a share")
def per_hundred(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `a / b` into `100 * a / b`, and `a * b` into `a * b / 100`, where words or names tell of per cent."""
    if not isinstance(node, ast.BinOp) or not _says(source, node, _PER_CENT):
        return
    left, right = grouped(source.segment(node.left), PRODUCT), grouped(source.segment(node.right), PRODUCT + 1)
    match node.op:
        case ast.Div():
            yield replace(source, node, f"100 * {left} / {right}")
        case ast.Mult():
            yield replace(source, node, f"{left} * {right} / 100")
            yield replace(source, node, f"{left} * {right} // 100", 1.0, 0.8)


def _says(source: Source, node: ast.AST, words: re.Pattern[str]) -> bool:
    """Tell whether the function around a node says something: in its name, its text, comments or documentation."""
    function = source.function(node)
    return function is not None and bool(words.search(source.segment(function)))
