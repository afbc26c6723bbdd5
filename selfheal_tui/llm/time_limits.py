"""How long a model may take: to connect, to begin, between two signs of life, and in all. Nothing waits for ever.

A sign of life is any byte of the answer. Servers send some while a model thinks and shows nothing of it; the SDKs
keep those to themselves.
"""

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
    """What one attempt may take, in seconds but for the last."""

    connect_s: float = 10.0
    """Until the connection is made."""
    first_s: float = 300.0
    """From asking to the first piece: a local model is loaded and reads the prompt, a thinking one thinks."""
    piece_s: float = 120.0
    """Between two signs of life."""
    total_s: float = 3600.0
    """From asking to the end."""
    context_tokens: int | None = None
    """The longest context to ask a local server for; None for what the prompts need."""


class TimeLimitReached(Exception):
    """One of the limits has run out."""

    def __init__(self, limit: Literal["first", "piece", "total"], seconds: float) -> None:
        super().__init__(limit)
        self.limit = limit
        self.seconds = seconds


class Stopwatch:
    """The clock of one attempt; starts when it is made. Waits for one thing at a time."""

    _scope: asyncio.Timeout | None = None

    def __init__(self, limits: TimeLimits) -> None:
        self._limits = limits
        self._started = asyncio.get_running_loop().time()
        self._first = True
        self._since = self._started
        self._most_s: float | None = None

    async def wait(self, awaited: Awaitable[T], most_s: float | None = None) -> T:
        """Wait for a step of the attempt, which is cancelled when its time is over.

        `most_s` shortens the step. Raises: TimeLimitReached.
        """
        self._most_s = most_s
        scope = asyncio.timeout_at(self._deadline()[1])
        try:
            async with scope:
                self._scope = scope
                return await awaited
        except TimeoutError:
            if not scope.expired():
                raise
        finally:
            self._scope = None
        limit, _, seconds = self._deadline()
        raise TimeLimitReached(limit, seconds)

    def is_alive(self) -> None:
        """Start the time to the next sign of life: something has arrived just now."""
        self._first = False
        self._since = asyncio.get_running_loop().time()
        if self._scope is not None and not self._scope.expired():
            self._scope.reschedule(self._deadline()[1])

    def _deadline(self) -> tuple[Literal["first", "piece", "total"], float, float]:
        """Return which limit comes next, the loop's time at which it does, and its seconds."""
        limits = self._limits
        step_s = limits.first_s if self._first else limits.piece_s
        step_s = step_s if self._most_s is None else min(step_s, self._most_s)
        step_end, end = self._since + step_s, self._started + limits.total_s
        if end <= step_end:
            return "total", end, limits.total_s
        return "first" if self._first else "piece", step_end, step_s


def duration(seconds: float) -> str:
    """Return a time for people, rounded up: `1 second`, `61 seconds`, `5 minutes`, `25 hours`."""
    if seconds <= 120:
        return plural(math.ceil(seconds), "second")
    minutes = math.ceil(seconds / 60)
    return plural(minutes, "minute") if minutes <= 120 else plural(math.ceil(minutes / 60), "hour")
