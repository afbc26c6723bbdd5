"""Answers that are equal where a test compares them: `0`, `0.0` and `False`, in lists and dictionaries too. Pure.

Told by their reprs: a case `assert f(x) == 0` passes with each of these, so nobody need be asked which it is.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Hashable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from selfheal_tui.python_source import parse_expression

_NUMBERS = {"Decimal": Decimal, "Fraction": Fraction}


def are_equal(one: str, other: str) -> bool:
    """Tell whether two reprs stand for values that are `==`; of what is no plain value the text decides."""
    return one == other or _key(one) == _key(other)


def equal_as_one(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return rows of answers to the same calls in which equal answers to a call have the text that most give."""
    changed = [list(row) for row in rows]
    for at in range(max(map(len, changed), default=0)):
        texts = Counter([row[at] for row in changed if at < len(row)])
        if len(texts) > 1:
            chosen: dict[Hashable, str] = {}
            for text in sorted(texts, key=lambda text: (-texts[text], len(text), text)):
                chosen.setdefault(_key(text), text)
            if len(chosen) < len(texts):
                for row in changed:
                    if at < len(row):
                        row[at] = chosen[_key(row[at])]
    return changed


@lru_cache(maxsize=4096)
def _key(text: str) -> Hashable:
    """Return what is the same for equal values, and for no others; of an exception or any other text the text."""
    if text.startswith("!"):
        return ("text", text)
    try:
        key = _of(parse_expression(text))
        hash(key)
        return key
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError):
        return ("text", "".join(text.split()))


def _of(node: ast.expr) -> Hashable:
    """Raises: ValueError for what is no plain value, ArithmeticError for no number."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return (type(node).__name__, tuple(map(_of, items)))
        case ast.Set(elts=items):
            return ("Set", frozenset(map(_of, items)))
        case ast.Call(func=ast.Name(id="set"), args=[], keywords=[]):
            return ("Set", frozenset())
        case ast.Dict(keys=keys, values=values):
            names = [_of(key) for key in keys if key is not None]
            return ("Dict", frozenset(zip(names, map(_of, values), strict=True)))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _NUMBERS:
            number: Hashable = _NUMBERS[name](*map(ast.literal_eval, arguments))
            return ("value", number)
        case _:
            value: Hashable = ast.literal_eval(node)
            return ("value", value)
