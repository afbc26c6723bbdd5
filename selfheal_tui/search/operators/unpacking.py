"""What wins in a dict: `{"a": 1, **given}` takes the given value, `{**given, "a": 1}` does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, quoted


@operator("unpacked_order", 2.0, "what is unpacked into a dict wins where it should not, or does not where it should")
def unpacked_order(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Move what is unpacked to the other end of a dict, and exchange two things that are unpacked."""
    if not isinstance(node, ast.Dict) or len(node.values) < 2 or None not in node.keys:
        return
    items = [
        (f"**{source.segment(value)}" if key is None else f"{source.segment(key)}: {source.segment(value)}")
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    orders: list[list[str]] = []
    for at, key in enumerate(node.keys):
        rest = [*items[:at], *items[at + 1 :]]
        if key is None:
            orders += [[items[at], *rest]] if at else []
            orders += [[*rest, items[at]]] if at < len(rest) else []
    start, end = source.span(node)
    for order in orders:
        text = f"{{{', '.join(order)}}}"
        yield Splice(start, end, text, f"{quoted(source.text[start:end])} becomes {quoted(text)}")
