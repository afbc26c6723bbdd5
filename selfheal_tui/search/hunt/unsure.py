"""Edits that no batch can judge: the tests hold something of the program that a batch does not put another in for.

Each takes a run in a process of its own, so only the likeliest are judged. An edit that waits was not tried.
"""

from __future__ import annotations

from collections.abc import Iterable

from .candidates import Candidate

_MOST = 2000
_AT_A_TIME = 64


class Unsure:
    """The single edits that wait for a run of their own, likeliest first."""

    def __init__(self) -> None:
        self._waiting: list[Candidate] = []
        self._is_short = False

    @property
    def is_left(self) -> bool:
        """Whether some were never judged."""
        return bool(self._waiting) or self._is_short

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Let edits wait; combinations of edits have their chance in a batch alone."""
        singles = [candidate for candidate in candidates if not candidate.before]
        free = _MOST - len(self._waiting)
        self._waiting += singles[:free]
        self._is_short |= len(singles) > free

    def take(self) -> list[Candidate]:
        """Return the next few, none where none waits."""
        some, self._waiting = self._waiting[:_AT_A_TIME], self._waiting[_AT_A_TIME:]
        return some

    def miss(self) -> None:
        """Note that some which were taken were not judged."""
        self._is_short = True
