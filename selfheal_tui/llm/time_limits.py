"""How long a model may take: to connect, to begin, between two pieces, and in total. Nothing waits for ever."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Literal, TypeVar

from selfheal_tui.text import plural

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Seconds, for one attempt."""

    connect_s: float = 10.0
    """Until the connection is made."""
    first_s: float = 300.0
    """From asking to the first piece: a local model is loaded and reads the prompt, a thinking one thinks."""
    piece_s: float = 120.0
    """Between two pieces."""
    total_s: float = 600.0
    """From asking to the end."""


class TimeLimitReached(Exception):
    """One of the limits has run out."""

    def __init__(self, limit: Literal["first", "piece", "total"], seconds: float) -> None:
        super().__init__(limit)
        self.limit = limit
        self.seconds = seconds


class Stopwatch:
    """The clock of one attempt; starts when it is made. Waits for one thing at a time."""

    def __init__(self, limits: TimeLimits) -> None:
        self._limits = limits
        self._started = asyncio.get_running_loop().time()
        self._first = True
        self._since = self._started

    async def wait(self, awaited: Awaitable[T], most_s: float | None = None) -> T:
        """Wait for a step of the attempt, which is cancelled when its time is over.

        `most_s` shortens the step. Raises: TimeLimitReached.
        """
        limits = self._limits
        step_s = limits.first_s if self._first else limits.piece_s
        step_s = step_s if most_s is None else min(step_s, most_s)
        step_end, end = self._since + step_s, self._started + limits.total_s
        scope = asyncio.timeout_at(min(step_end, end))
        try:
            async with scope:
                return await awaited
        except TimeoutError:
            if not scope.expired():
                raise
        if end <= step_end:
            raise TimeLimitReached("total", limits.total_s)
        raise TimeLimitReached("first" if self._first else "piece", step_s)

    def piece_arrived(self) -> None:
        """Restart the time for the next piece; call it just before waiting for that piece."""
        self._first = False
        self._since = asyncio.get_running_loop().time()


def duration(seconds: float) -> str:
    """Return a time for people, rounded up: `1 second`, `61 seconds`, `5 minutes`, `25 hours`."""
    if seconds <= 120:
        return plural(math.ceil(seconds), "second")
    minutes = math.ceil(seconds / 60)
    return plural(minutes, "minute") if minutes <= 120 else plural(math.ceil(minutes / 60), "hour")
