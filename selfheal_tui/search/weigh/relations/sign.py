"""No result is negative: what is counted or measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .base import Known, Property, is_number, kept_by


def sign(known: Known) -> Iterator[Property]:
    """Yield that no result is negative."""

    def holds(arguments: Sequence[Any], result: Any, _: Any) -> bool | None:
        return bool(result >= 0) if is_number(result) else None

    if kept_by(known, holds, len(known.cases)):
        yield Property("no result is negative", holds)
