"""Nesting: a whole is taken for its items, or its items for theirs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, ranked, replace
from .kinds import ITERABLES, MAPPINGS, kinds
from .scope import editable

_OVER_ITEMS = frozenset({"sum", "max", "min", "list", "set", "tuple", "sorted", "any", "all", "Counter", "join"})
_FLAT = ("[item for part in {} for item in part]", "' '.join({}).split()", "''.join({})")
_WHOLE = (ast.Name, ast.Attribute, ast.Subscript)


@operator("mapped", 3.5, "a function is applied to a whole where each of its items was meant", discount=1.5)
def mapped(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `sum(int(x))` into `sum(map(int, x))`."""
    match node:
        case ast.Call(func=outer, args=[ast.Call(func=ast.Name(id=inner), args=[whole], keywords=[])], keywords=[]):
            name = outer.id if isinstance(outer, ast.Name) else outer.attr if isinstance(outer, ast.Attribute) else ""
            if name in _OVER_ITEMS and not isinstance(whole, ast.Starred | ast.GeneratorExp):
                text = f"{source.segment(outer)}(map({inner}, {source.segment(whole)}))"
                yield replace(source, node, text, 1.0, -1.5 if _raised(source, "not iterable") else 0.0)


@operator("flat", 4.5, "a collection of collections is used where all their items were meant", discount=1.5)
def flat(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `sum(rows)` into `sum([item for part in rows for item in part])`; join or split a collection of texts."""
    if not isinstance(node, _WHOLE) or not editable(source, node) or not _is_gone_over(source, node):
        return
    kind = kinds(source, node)
    if kind and not kind & (ITERABLES - MAPPINGS - {"str", "range"}):
        return
    text = source.segment(node)
    extra = -1.5 if _raised(source, "unhashable type") else 0.0
    yield from ranked(source, node, (form.format(text) for form in _FLAT), 0.4, extra)


def _is_gone_over(source: Source, node: ast.expr) -> bool:
    match source.parents.get(node):
        case ast.For(iter=over) | ast.comprehension(iter=over):
            return over is node
        case ast.Call(args=args):
            return node in args
    return False


def _raised(source: Source, words: str) -> bool:
    return any(words in text for _, text, _ in source.observations.errors)
