"""Two of the rows that a test builds, nearly alike: `[Task("a", due=3), Task("b", due=5)]` with due 5 and 3. Pure.

A second sort key counts only between rows that are equal in the first one, and few tests have such rows for each key.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from itertools import combinations

_MOST_ROWS = 8
"""Rows of which pairs are made."""


def few_rows(argument: str) -> Iterator[str]:
    """Yield an argument with two rows instead of all, those first that are most alike.

    All pairs as they are come first, then those in which one value is exchanged between the two, or the same in both.
    """
    tree = ast.parse(argument, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.List) and len(node.elts) > 1:
            rows = node.elts
            pairs = [pair for pair in combinations(rows[:_MOST_ROWS], 2) if _places(*pair)]
            pairs.sort(key=lambda pair: -_alike(*pair))
            for node.elts in (*map(list, pairs), *(changed for pair in pairs for changed in _changed(*pair))):
                yield ast.unparse(tree)
            node.elts = rows


def _places(one: ast.expr, other: ast.expr) -> list[int | str]:
    """Return the places of the values that two calls of one function both have: positions, and names of keywords."""
    match one, other:
        case ast.Call(), ast.Call() if ast.unparse(one.func) == ast.unparse(other.func):
            names = {keyword.arg for keyword in other.keywords}
            named = [keyword.arg for keyword in one.keywords if keyword.arg and keyword.arg in names]
            return [*range(min(len(one.args), len(other.args))), *named]
    return []


def _alike(one: ast.expr, other: ast.expr) -> int:
    return sum(_is_same(one, other, place) for place in _places(one, other))


def _changed(one: ast.expr, other: ast.expr) -> Iterator[list[ast.expr]]:
    """Yield the two rows with one value changed; those at the end of a row first: names stand at its beginning."""
    places = [place for place in _places(one, other) if not _is_same(one, other, place)]
    for place in reversed(places):
        yield [_with(one, place, _value(other, place)), _with(other, place, _value(one, place))]
    for place in reversed(places):
        yield [one, _with(other, place, _value(one, place))]


def _is_same(one: ast.expr, other: ast.expr, place: int | str) -> bool:
    return ast.unparse(_value(one, place)) == ast.unparse(_value(other, place))


def _value(row: ast.expr, place: int | str) -> ast.expr:
    assert isinstance(row, ast.Call)
    if isinstance(place, int):
        return row.args[place]
    return next(keyword.value for keyword in row.keywords if keyword.arg == place)


def _with(row: ast.expr, place: int | str, value: ast.expr) -> ast.expr:
    """Return a row with another value at a place."""
    row = copy.deepcopy(row)
    assert isinstance(row, ast.Call)
    if isinstance(place, int):
        row.args[place] = value
    else:
        next(keyword for keyword in row.keywords if keyword.arg == place).value = value
    return row
