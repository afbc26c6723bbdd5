"""How far an answer is from the right one: 0 when equal, under 1 for the same kind of value, more for a crash."""

from __future__ import annotations

import ast
from difflib import SequenceMatcher
from typing import Any

_OTHER_KIND = 1.0
_NO_VALUE = 1.2
_NOT_EQUAL = 0.05
"""At least, for values that differ."""
_LONGEST = 400


def distance(answer: str, expected: str) -> float:
    """Return the distance of two reprs; an answer that is no literal, or starts with `!`, has no value."""
    if answer == expected:
        return 0.0
    try:
        return _between(ast.literal_eval(answer), ast.literal_eval(expected))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _NO_VALUE


def _between(one: Any, other: Any) -> float:
    if type(one) is type(other) and one == other:
        return 0.0
    match one, other:
        case (bool(), _) | (_, bool()):
            return _OTHER_KIND
        case (int() | float(), int() | float()):
            return max(_NOT_EQUAL, min(0.95, abs(one - other) / (1 + abs(one) + abs(other))))
        case (str(), str()):
            return max(_NOT_EQUAL, 0.95 * (1 - _likeness(one, other)))
        case (list(), list()) | (tuple(), tuple()):
            return _between_rows(list(one), list(other))
        case (set(), set()):
            return max(_NOT_EQUAL, 0.95 * (1 - len(one & other) / len(one | other)))
        case (dict(), dict()):
            keys = {*one, *other}
            apart = sum(_between(one[key], other[key]) if key in one and key in other else 1.0 for key in keys)
            return max(_NOT_EQUAL, min(0.95, apart / len(keys)))
    return _OTHER_KIND


def _between_rows(one: list[Any], other: list[Any]) -> float:
    likeness = _likeness([repr(part) for part in one], [repr(part) for part in other])
    apart = 0.95 * (1 - likeness)
    if len(one) == len(other) and one:
        apart = min(apart, sum(_between(a, b) for a, b in zip(one, other, strict=True)) / len(one))
    return max(_NOT_EQUAL, apart)


def _likeness(one: Any, other: Any) -> float:
    return SequenceMatcher(None, one[:_LONGEST], other[:_LONGEST], autojunk=False).ratio()
