"""Constants: flags, other small numbers, other texts, and values the tests mention."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.source import Source

from .base import Splice, operator, replace

_MOST = 12


@operator("flag", 1.2, "True and False are mixed up")
def flag(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap True and False."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield replace(source, node, str(not node.value))


@operator("number", 2.0, "a constant has the wrong value")
def number(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace an integer by its negation, by 0, 1, 2 or 10, or by one the program or the tests mention."""
    if not (isinstance(node, ast.Constant) and type(node.value) is int):
        return
    parent = source.parents.get(node)
    if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.USub):
        yield replace(source, parent, str(node.value), 0.9)
        return
    known = [value for value in source.observed if type(value) is int]
    near = {node.value, node.value - 1, node.value + 1}
    values = [v for v in dict.fromkeys((-node.value, 0, 1, 2, 10, *known)) if v not in near]
    for value in values[:_MOST]:
        yield replace(
            source,
            node,
            source.fitted(node, str(value)) if value < 0 else str(value),
            1.0 if value < 3 else 1.4,
        )


@operator("string", 1.9, "a text constant is not the one meant")
def string(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace a text by a variant of itself, by another of the program, or by one the tests mention."""
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)) or _is_documentation(source, node):
        return
    value = node.value
    variants = [
        value.lower(),
        value.upper(),
        value.strip(),
        f"{value} ",
        f" {value}",
        value.replace("_", "-"),
    ]
    variants += [" ", "", "\n", ",", "-", "_"] if len(value) <= 1 else []
    known = [v for v in source.observed if isinstance(v, str)]
    texts = [text for text in dict.fromkeys((*variants, *source.texts, *known)) if text != value]
    for place, text in enumerate(texts[: 2 * _MOST]):
        yield replace(source, node, _literal(text), 1.0 if place < len(variants) else 1.5)


def _is_documentation(source: Source, node: ast.Constant) -> bool:
    return isinstance(source.parents.get(node), ast.Expr | ast.JoinedStr)


def _literal(text: str) -> str:
    plain = repr(text)
    return '"' + plain[1:-1] + '"' if plain.startswith("'") and '"' not in plain else plain
