"""Work in flight: a tool's work is a task of its own, told of while it lasts, cancelled once, and waited for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import anyio

from selfheal_tui.text import one_line, strip_controls

T = TypeVar("T")
Send = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends a progress notification: a number that grows, its end where that is known, and a message."""
Tell = Callable[[str], None]
"""Says how far the work is."""

_INTERVAL_S = 0.5
_AGAIN_S = 5.0
"""After so long without news the last message is sent again: clients give up what shows no sign of life."""
_LONGEST = 300


class Works:
    """The work of all tools."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._cancelled: set[asyncio.Task[Any]] = set()
        """Those that still clean up: until then their session is held."""

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return what the work returns; where the caller is cancelled, so is the work, and its end is waited for.

        anyio cancels at every await, also of what cleans up: a sandbox would not be closed, nor a session. What was
        cancelled before is over when the work begins.
        """
        task = asyncio.create_task(self._after_cancelled(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self._cancelled.add(task)
            task.add_done_callback(self._cancelled.discard)
            with anyio.CancelScope(shield=True):
                await _ended(task)
            raise

    async def _after_cancelled(self, work: Callable[[], Awaitable[T]]) -> T:
        if self._cancelled:
            await asyncio.wait(self._cancelled)
        return await work()

    async def end_all(self) -> None:
        """Cancel all that runs and wait for its end."""
        await asyncio.gather(*map(_ended, self._tasks))


async def _ended(task: asyncio.Task[Any]) -> None:
    task.cancel()
    await asyncio.wait([task])


@asynccontextmanager
async def telling(send: Send) -> AsyncIterator[Tell]:
    """Yield what takes messages; the newest is sent, a few times a second at most, with the seconds as its number."""
    news, messages, began_s = asyncio.Event(), [""], time.monotonic()

    def tell(message: str) -> None:
        if line := one_line(strip_controls(message), _LONGEST):
            messages[0] = line
            news.set()

    async def send_newest() -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_AGAIN_S):
                    await news.wait()
            news.clear()
            await send(round(time.monotonic() - began_s, 3), None, messages[0] or "working")
            await asyncio.sleep(_INTERVAL_S)

    sending = asyncio.create_task(send_newest())
    try:
        yield tell
    finally:
        await _ended(sending)
