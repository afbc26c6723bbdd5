"""Every result is of one type: a call that gives None or 1 where all cases give True or False breaks it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .base import Known, Property

_NUMBERS = frozenset({"int", "float"})


def result_type(known: Known) -> Iterator[Property]:
    """Yield the type of the results; whole and other numbers are one."""
    kinds = {_kind(case.result) for case in known.cases}
    if len(kinds) == 1 or kinds == _NUMBERS:
        are_numbers = kinds <= _NUMBERS
        name = "a number" if are_numbers else f"of type {min(kinds)}"
        allowed = _NUMBERS if are_numbers else kinds

        def holds(arguments: Sequence[Any], result: Any, _: Any) -> bool | None:
            return _kind(result) in allowed

        yield Property(f"every result in the cases is {name}", holds)


def _kind(value: Any) -> str:
    return type(value).__name__
