"""A larger number gives no smaller result: `count_up_to(n + 1)` is at least `count_up_to(n)`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..inputs import call_text
from .base import Known, Property, is_number


def steps(known: Known) -> Iterator[Property]:
    """Yield for each whole number among the arguments that results grow with it."""

    def holds(arguments: Sequence[Any], result: Any, other: Any) -> bool | None:
        # Where nothing grows, as with most years and days, nothing is said.
        return bool(other > result) if is_number(result) and is_number(other) and other != result else None

    for at in known.places:

        def second(arguments: Sequence[Any], at: int = at) -> str:
            if at >= len(arguments) or type(arguments[at]) is not int:
                return ""
            return call_text(known.function, [*arguments[:at], arguments[at] + 1, *arguments[at + 1 :]])

        yield Property(f"one more in argument {at + 1} never gave a smaller result", holds, second)
