"""Doing it again changes nothing: `strip(strip(x))` is `strip(x)`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..inputs import call_text
from .base import Known, Property


def repeated(known: Known) -> Iterator[Property]:
    """Yield that `f(f(x))` is `f(x)`, where results are texts or lists as arguments are."""

    def again(arguments: Sequence[Any]) -> str:
        return f"{known.function}({call_text(known.function, arguments)})"

    def same(arguments: Sequence[Any], result: Any, other: Any) -> bool | None:
        # What is given back as it came says nothing of what is left to do.
        return None if result == arguments[0] else bool(result == other)

    cases = known.cases
    if all(len(case.arguments) == 1 and type(case.arguments[0]) is type(case.result) for case in cases) and isinstance(
        cases[0].result, str | list | tuple
    ):
        yield Property("doing it again changed nothing", same, again)
