"""Large and small letters give the same, and so does a text backwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..inputs import call_text
from .base import Known, Property, is_same

_LETTERS = re.compile(r"upper|lower|capital|case\b")
"""Words of functions that look at whether letters are large."""


def text_case(known: Known) -> Iterator[Property]:
    """Yield that a text with large and small letters exchanged, or backwards, gives the same."""
    changes: dict[str, Callable[[str], str]] = {"the direction of the text did not count": _backwards}
    if not _LETTERS.search(known.words):
        changes["large and small letters did not count"] = str.swapcase
    for at in known.places:
        for says, change in changes.items():

            def second(arguments: Sequence[Any], at: int = at, change: Callable[[str], str] = change) -> str:
                if at >= len(arguments) or not isinstance(arguments[at], str) or len(arguments[at]) < 2:
                    return ""
                return call_text(known.function, [*arguments[:at], change(arguments[at]), *arguments[at + 1 :]])

            yield Property(says, is_same, second)


def _backwards(text: str) -> str:
    return text[::-1]
