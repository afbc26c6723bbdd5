"""Doing it again changes nothing: `strip(strip(x))` is `strip(x)`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..inputs import call_text
from .base import Known, Property, is_same


def repeated(known: Known) -> Iterator[Property]:
    """Yield that `f(f(x))` is `f(x)`, where results are what arguments are."""

    def again(arguments: Sequence[Any]) -> str:
        return f"{known.function}({call_text(known.function, arguments)})"

    if all(len(case.arguments) == 1 and type(case.arguments[0]) is type(case.result) for case in known.cases):
        yield Property("doing it again changed nothing", is_same, again)
