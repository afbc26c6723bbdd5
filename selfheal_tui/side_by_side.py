"""A few jobs at a time, one for each core: their results in order, or what they tell as it comes."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from contextlib import aclosing
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


async def merged(streams: Iterable[AsyncGenerator[_Item, None]]) -> AsyncGenerator[_Item, None]:
    """Yield what several iterators yield, as it comes.

    The error of one is raised here once. Closing the iterator, or an error, closes all of them.
    """
    first, *others = streams
    if not others:
        async with aclosing(first):
            async for item in first:
                yield item
        return
    items: asyncio.Queue[tuple[_Item] | asyncio.Task[None]] = asyncio.Queue()

    async def tell(stream: AsyncGenerator[_Item, None]) -> None:
        async with aclosing(stream):
            async for item in stream:
                items.put_nowait((item,))

    tasks = [asyncio.create_task(tell(stream)) for stream in (first, *others)]
    for task in tasks:
        task.add_done_callback(items.put_nowait)
    try:
        left = len(tasks)
        while left:
            came = await items.get()
            if isinstance(came, tuple):
                yield came[0]
            else:
                left -= 1
                came.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
