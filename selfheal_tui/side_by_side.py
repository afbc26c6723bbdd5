"""A few jobs at a time, one for each core, their results in order."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from itertools import islice
from typing import Any, TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def cores() -> int:
    """Return how many cores we may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


async def side_by_side(
    work: Callable[[_Item], Coroutine[Any, Any, _Result]], items: Iterable[_Item]
) -> AsyncGenerator[_Result, None]:
    """Yield what `work` returns for each item, in the order of the items.

    The next job begins when the next result is asked for. A job that fails raises its error here and cancels the
    others. Closing the iterator cancels what runs.
    """
    waiting = iter(items)
    running: deque[asyncio.Task[_Result]] = deque()
    try:
        running.extend(asyncio.create_task(work(item)) for item in islice(waiting, cores()))
        while running:
            yield await running[0]
            running.popleft()
            running.extend(asyncio.create_task(work(item)) for item in islice(waiting, 1))
    finally:
        for job in running:
            job.cancel()
        await asyncio.gather(*running, return_exceptions=True)
