"""Every result is as long as an argument."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .base import Known, Property, kept_by


def result_length(known: Known) -> Iterator[Property]:
    """Yield the arguments that are as long as the results."""
    for at in known.places:

        def holds(arguments: Sequence[Any], result: Any, _: Any, at: int = at) -> bool | None:
            if at >= len(arguments) or not _has_length(arguments[at]) or not _has_length(result):
                return None
            return len(arguments[at]) == len(result)

        if kept_by(known, holds):
            yield Property(f"every result in the cases is as long as argument {at + 1}", holds)


def _has_length(value: Any) -> bool:
    return isinstance(value, str | list | tuple)
