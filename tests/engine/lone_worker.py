"""The part of Ray's interface that is used here, with one worker, which is a thread of this process.

It runs one piece of work at a time, each value pickled on its way, and can be made to die.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

from selfheal_tui.cluster.room import Room


class RayError(Exception):
    """Of Ray itself."""


class RayTaskError(RayError):
    """What a worker raised."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class WorkerDied(RayError):
    """A worker is gone."""


class LoneWorker:
    """Stands in for the package `ray`."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)

    def __init__(self) -> None:
        self.dies_after: list[int] = []
        """For each piece of work in turn: after how many values its worker dies."""
        self.begun = 0
        """How often work was asked for."""
        self._thread = ThreadPoolExecutor(1)
        self._turn = asyncio.Lock()
        self._stopped: list[asyncio.Future[None]] = []

    def put(self, value: Any) -> Any:
        """Keep a value for all workers."""
        return value

    def remote(self, **_: Any) -> Callable[[Callable[..., Iterator[Any]]], Any]:
        """Return what makes work of a function."""
        return lambda work: SimpleNamespace(remote=lambda *given: self._told(work, given))

    def cancel(self, told: Any, force: bool) -> None:
        """Stop work that nobody waits for any more, and let the next begin."""
        self._stopped.append(asyncio.ensure_future(told.aclose()))

    async def _told(self, work: Callable[..., Iterator[Any]], given: tuple[Any, ...]) -> AsyncIterator[Any]:
        self.begun += 1
        dies_after = self.dies_after.pop(0) if self.dies_after else -1
        loop = asyncio.get_running_loop()
        async with self._turn:
            steps: Any = await loop.run_in_executor(self._thread, lambda: work(*pickle.loads(pickle.dumps(given))))
            try:
                count = 0
                while True:
                    if count == dies_after:
                        raise WorkerDied
                    value = await loop.run_in_executor(self._thread, next, steps, None)
                    if value is None:
                        return
                    count += 1
                    ref = loop.create_future()
                    ref.set_result(pickle.loads(pickle.dumps(value)))
                    yield ref
            finally:
                await loop.run_in_executor(self._thread, steps.close)

    def shutdown(self) -> None:
        """End the worker; its folder goes with it."""
        if Room.current is not None:
            self._thread.submit(Room.current.close).result()
            Room.current = None
        self._thread.shutdown()
