"""The order of a list does not count.

Of two arguments nothing is asked: where `a + b` should be `a - b`, it is the mistake that makes them alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..inputs import call_text
from .base import Known, Property, is_same

_POSITIONS = re.compile(
    r"palindrom|\bind(ex|ices)|position|consecutive|adjacent|neighbo|subarray|revers|rotat"
    r"|streak|in a row|successive|previous|preced|cumulat|running|moving|\btrend|chronolog"
    r"|\bmatri(x|ces)|\bvector|\bgrid|\bboard"
)
"""Words of functions that look at where things stand."""


def other_order(known: Known) -> Iterator[Property]:
    """Yield that a list backwards, and a list that begins elsewhere, give the same."""
    words = f"{known.function.lower().replace('_', ' ')}. {known.words}"
    for at in known.places if not _POSITIONS.search(words) else ():
        for turned in (_backwards, _from_second):

            def second(arguments: Sequence[Any], at: int = at, turned: Callable[[Any], Any] = turned) -> str:
                if at >= len(arguments) or not isinstance(arguments[at], list | tuple) or len(arguments[at]) < 2:
                    return ""
                return call_text(known.function, [*arguments[:at], turned(arguments[at]), *arguments[at + 1 :]])

            yield Property("the order of the list did not count", is_same, second)


def _backwards(value: Any) -> Any:
    return value[::-1]


def _from_second(value: Any) -> Any:
    return value[1:] + value[:1]
