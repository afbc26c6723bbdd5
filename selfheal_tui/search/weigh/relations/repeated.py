"""Doing it again changes nothing, and what comes twice counts once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..inputs import call_text
from .base import Known, Property, is_same


def repeated(known: Known) -> Iterator[Property]:
    """Yield that `f(f(x))` is `f(x)`, where results are what arguments are, and that `f(xs + xs)` is `f(xs)`."""

    def again(arguments: Sequence[Any]) -> str:
        return f"{known.function}({call_text(known.function, arguments)})" if len(arguments) == 1 else ""

    if all(len(case.arguments) == 1 and type(case.arguments[0]) is type(case.result) for case in known.cases):
        yield Property("doing it again changed nothing before", is_same, again)
    for at in known.places:

        def doubled(arguments: Sequence[Any], at: int = at) -> str:
            if at >= len(arguments) or not isinstance(arguments[at], list | tuple) or len(arguments[at]) < 2:
                return ""
            return call_text(known.function, [*arguments[:at], arguments[at] + arguments[at], *arguments[at + 1 :]])

        yield Property("elements that come twice counted once before", is_same, doubled)
