"""What can be picked from a list, and which rows fit what was typed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pick:
    """One row of a picker."""

    value: str
    """What is handed on when it is taken; several are joined."""
    text: str
    """What stands in the list, when it is not the value itself."""
    why: str = ""
    """What there is to know of it: a price, a key that is missing, what it does."""
    ready: bool = True
    """Whether it can be used now; the others are dim, and may be taken all the same."""


def fitting(rows: Sequence[Pick], typed: str) -> list[Pick]:
    """Return the rows whose name holds every typed word; what is said of them counts for nothing."""
    words = typed.casefold().split()
    return [row for row in rows if all(word in f"{row.text} {row.value}".casefold() for word in words)]
