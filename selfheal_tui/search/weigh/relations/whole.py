"""Every result is a whole number where the arguments are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .base import Known, Property, is_number, kept_by


def whole(known: Known) -> Iterator[Property]:
    """Yield that results have no fraction; a result such as 2.5 among 1, 4 and 7."""

    def holds(arguments: Sequence[Any], result: Any, _: Any) -> bool | None:
        return result == int(result) if is_number(result) and abs(result) < 1e15 else None

    if kept_by(known, holds, len(known.cases)):
        yield Property("every result in the cases is a whole number", holds)
