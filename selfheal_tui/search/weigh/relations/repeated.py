"""Doing it again changes nothing, or undoes it; and what comes twice counts once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..inputs import call_text
from .base import Known, Property


def repeated(known: Known) -> Iterator[Property]:
    """Yield that `f(f(x))` is `f(x)`, that it is `x`, and that a list with all its elements twice gives the same."""

    def again(arguments: Sequence[Any]) -> str:
        return f"{known.function}({call_text(known.function, arguments)})" if len(arguments) == 1 else ""

    def same(arguments: Sequence[Any], result: Any, other: Any) -> bool | None:
        return bool(result == other)

    def undone(arguments: Sequence[Any], result: Any, other: Any) -> bool | None:
        return bool(arguments[0] == other)

    yield Property("doing it again changed nothing before", same, again)
    yield Property("doing it twice gave back the argument before", undone, again)
    for at in known.places:

        def doubled(arguments: Sequence[Any], at: int = at) -> str:
            if at >= len(arguments) or not isinstance(arguments[at], list | tuple) or len(arguments[at]) < 2:
                return ""
            return call_text(known.function, [*arguments[:at], arguments[at] + arguments[at], *arguments[at + 1 :]])

        yield Property("elements that come twice counted once before", same, doubled)
