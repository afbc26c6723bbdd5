"""Text and bytes: one of them stands where the other was meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, ranked
from .fitting import ATOM, grouped
from .kinds import kinds
from .scope import is_value


@operator("text_or_bytes", 2.4, "bytes stand where text was meant, or the other way round")
def text_or_bytes(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Write a constant with or without `b`, and decode or encode a value; only where a run mixed the two."""
    if not isinstance(node, ast.expr) or not is_value(source, node) or not _mixes(source):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, bytes | str):
        text = source.segment(node)
        prefix = text[: min(text.index(quote) for quote in "'\"" if quote in text)]
        if isinstance(node.value, bytes):
            yield from ranked(source, node, [prefix.translate({98: "", 66: ""}) + text[len(prefix) :]])
        elif node.value.isascii() and "u" not in prefix.lower():
            yield from ranked(source, node, [f"b{text}"])
        return
    kind = kinds(source, node)
    own = grouped(source.segment(node), ATOM)
    if "bytes" in kind:
        yield from ranked(source, node, [f"{own}.decode()"])
    elif "str" in kind:
        yield from ranked(source, node, [f"{own}.encode()"], 0.5, 0.6)


def _mixes(source: Source) -> bool:
    """Tell whether a failing case compared text with bytes, or gave one where only the other fits."""
    errors = source.observations.errors
    return not {("bytes", "str"), ("str", "bytes")}.isdisjoint(source.observations.mismatches) or any(
        "bytes" in message and name in ("TypeError", "AttributeError") for name, message, _ in errors
    )
