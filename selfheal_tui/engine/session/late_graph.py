"""The graph over a session's file, made when it is first needed: LangGraph takes most of a second to import."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..loop.graph import Graph


class LateGraph:
    """One graph, made beside the event loop; whoever calls waits for it."""

    def __init__(self, make: Callable[[], Coroutine[Any, Any, Graph]]) -> None:
        self._make = make
        self._task: asyncio.Task[Graph] | None = None

    @property
    def is_there(self) -> bool:
        """Whether a caller gets it at once."""
        return self._task is not None and self._task.done() and not _failed(self._task)

    def begin(self) -> asyncio.Task[Graph]:
        """Begin to make it, where nobody has yet or it failed: a disk that was full may have room again."""
        if self._task is None or (self._task.done() and _failed(self._task)):
            self._task = asyncio.create_task(self._make())
        return self._task

    async def __call__(self) -> Graph:
        """Return the graph; a caller that is cancelled leaves it to the others. Raises: SessionError."""
        return await asyncio.shield(self.begin())

    async def aclose(self) -> None:
        """Give it up if it is not there yet."""
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.wait([self._task])
        _failed(self._task)  # told by whoever waited for it


def _failed(task: asyncio.Task[Graph]) -> bool:
    return task.cancelled() or task.exception() is not None
