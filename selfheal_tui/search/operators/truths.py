"""Truths: a function answers True or False where words for them are expected."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import FunctionNode, Source

from .base import Splice, operator, quoted, together
from .blocks import first_statement
from .fitting import COMPARISON, grouped
from .kinds import kinds
from .scope import own_nodes

_OPPOSITES = {
    one: other
    for pair in (
        ("Yes", "No"),
        ("Valid", "Invalid"),
        ("Found", "Not found"),
        ("Even", "Odd"),
        ("True", "False"),
        ("Match", "No match"),
    )
    for one, other in (pair, pair[::-1])
}


@operator("named_truth", 2.5, "truth values are returned where words for them are expected")
def named_truth(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `return x > 0` into `return "Yes" if x > 0 else "No"`, in every return, for two texts that cases expect."""
    if ("bool", "str") not in source.observations.mismatches or not isinstance(node, ast.stmt):
        return
    function = source.function(node)
    if function is None or isinstance(node, FunctionNode) or node is not first_statement(function):
        return
    values = [n.value for n in own_nodes(source, function) if isinstance(n, ast.Return) and n.value is not None]
    values = [value for value in values if "bool" in kinds(source, value)]
    for true, false in _words(source) if values else ():
        parts = [(*source.span(value), _said(source, value, true, false)) for value in values]
        yield together(source, parts, f"{quoted(true)} is returned for true and {quoted(false)} for false")


def _said(source: Source, value: ast.expr, true: str, false: str) -> str:
    if isinstance(value, ast.Constant):
        return true if value.value else false
    return f"{true} if {grouped(source.segment(value), COMPARISON)} else {false}"


def _words(source: Source) -> list[tuple[str, str]]:
    """Return literals for true and false: two that cases expect, or one and its opposite, either way round."""
    values = [ast.literal_eval(text) for text in source.observations.expected.values()]
    words = sorted({value for value in values if isinstance(value, str)})
    if len(words) == 1:
        words.append(_opposite(words[0]))
    if len(words) != 2:
        return []
    one, other = map(repr, words)
    return [(one, other), (other, one)]


def _opposite(word: str) -> str:
    for change in (str, str.lower, str.upper):
        for one, other in _OPPOSITES.items():
            if change(one) == word:
                return change(other)
    return f"Not {word[:1].lower()}{word[1:]}"
