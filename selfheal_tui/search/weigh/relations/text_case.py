"""Large and small letters give the same, and so does a text backwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..inputs import call_text
from .base import Known, Property


def text_case(known: Known) -> Iterator[Property]:
    """Yield that a text with large and small letters exchanged, or backwards, gives the same."""

    def same(arguments: Sequence[Any], result: Any, other: Any) -> bool | None:
        return bool(result == other)

    for at in known.places:
        for says, change in _CHANGES.items():

            def second(arguments: Sequence[Any], at: int = at, change: Callable[[str], str] = change) -> str:
                if at >= len(arguments) or not isinstance(arguments[at], str) or len(arguments[at]) < 2:
                    return ""
                return call_text(known.function, [*arguments[:at], change(arguments[at]), *arguments[at + 1 :]])

            yield Property(says, same, second)


_CHANGES: dict[str, Callable[[str], str]] = {
    "large and small letters did not count before": str.swapcase,
    "the direction of the text did not count before": lambda text: text[::-1],
}
