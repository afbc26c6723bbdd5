"""Bounds that words give: "10 or more" is `>= 10`, or `< 10` where that is turned away; "below zero" is `< 0`. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..program.source import FunctionNode
from .shared_trees import shared_changes

_FITS, _AGAINST = -0.8, 1.2
"""Bits for a comparison that is drawn where the words draw it, and for one that is drawn beside it."""
_MORE = r"(?:more|greater|higher|larger|bigger|longer|older|later)"
_LESS = r"(?:less|fewer|lower|smaller|shorter|younger|earlier)"
_FROM: frozenset[type[ast.cmpop]] = frozenset({ast.GtE, ast.Lt})
_TO: frozenset[type[ast.cmpop]] = frozenset({ast.LtE, ast.Gt})
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNTED = rf"(\d+|{'|'.join(_NUMBERS)})\s+\w+"
"""A number and what it counts: `5000 cents`."""
_SAID = tuple(
    (re.compile(pattern), signs)
    for pattern, signs in (
        (rf"\b(?:at least|(?:no|not|never) {_LESS} than|(?:no|not) below|a minimum of)\s+(\w+)", _FROM),
        (rf"\b(?:{_COUNTED}|(\w+))\s+(?:or|and)\s+(?:{_MORE}|above|over|up|upwards)\b", _FROM),
        (rf"\b(?:at most|up to|(?:no|not|never) {_MORE} than|(?:no|not) (?:above|over)|a maximum of)\s+(\w+)", _TO),
        (rf"\b(?:{_COUNTED}|(\w+))\s+(?:or|and)\s+(?:{_LESS}|below|under)\b", _TO),
        (rf"\b(?:{_MORE} than|above|over|beyond|exceeds|exceeding)\s+(\w+)", _TO),
        (rf"\b(?:{_LESS} than|below|under|closer (?:to \w+ \w+ )?than)\s+(\w+)", _FROM),
    )
)
"""What is said, in the order in which it is read, and the comparisons that draw the line there."""
_DRAWN = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def bounds_bits(before: str, after: str, spec: str = "") -> float:
    """Return how unlikely words make the comparisons that a change (two texts of a file) draws anew, in bits.

    The words are the name and the docstring of the function, or without one the `spec`. What is said counts where it
    names the number or the variable that is compared with, and of variables that it does not name where none is named.
    """
    bits = 0.0
    for change in shared_changes(before, after):
        if not isinstance(change.new, _DRAWN) or not isinstance(change.old, ast.cmpop):
            continue
        compared = change.inside[-1] if change.inside else None
        function = next((node for node in reversed(change.inside) if isinstance(node, FunctionNode)), None)
        if isinstance(compared, ast.Compare) and function is not None and (signs := _said(function, compared, spec)):
            bits += _FITS if type(change.new) in signs else _AGAINST
    return bits


def _said(function: FunctionNode, compared: ast.Compare, spec: str) -> frozenset[type[ast.cmpop]]:
    """Return the comparisons that fit the words; empty where they say nothing, or both."""
    words = f"{function.name.replace('_', ' ')}. {ast.get_docstring(function) or spec}".lower()
    said = [*_bounds(words)]
    numbers = {str(n.value) for n in ast.walk(compared) if isinstance(n, ast.Constant) and type(n.value) is int}
    names = {node.id.lower() for node in ast.walk(compared) if isinstance(node, ast.Name)}
    found = {signs for what, signs in said if what in numbers | names}
    if not found and not numbers:
        found = {signs for what, signs in said if not what.isdecimal()}
    return found.pop() if len(found) == 1 else frozenset()


def _bounds(words: str) -> Iterator[tuple[str, frozenset[type[ast.cmpop]]]]:
    """Yield (what is compared with, comparisons) of each bound that is said, a number in digits."""
    for pattern, signs in _SAID:
        for match in pattern.finditer(words):
            word = next(filter(None, match.groups()))
            yield str(_NUMBERS.index(word)) if word in _NUMBERS else word, signs
        words = pattern.sub(" ; ", words)
