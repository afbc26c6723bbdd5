"""What a search over a session finds. Values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

HitKind = Literal["moment", "diagnosis", "repair", "code", "call"]
MOST_HITS = 500
"""A search ends with the part that reaches it."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that holds what was searched for."""

    checkpoint_id: str
    """The moment at which it came first."""
    kind: HitKind
    where: str
    """Path of the program, role and model, candidate; empty where the moment says it."""
    number: int
    """Line number in a program; else 0."""
    text: str
    """The line, cut to what stands around the match."""


class Hits(NamedTuple):
    """A part of the result."""

    hits: tuple[Hit, ...]
    done: int
    """Moments that were read so far."""
    total: int
