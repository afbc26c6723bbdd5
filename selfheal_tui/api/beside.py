"""Running a coroutine for a caller who is not async, also where an event loop runs already (a notebook).

In a notebook the work gets a thread of its own. The caller's functions still run in the caller's thread, as `print`,
`input` and widgets of a notebook belong to it.
"""

from __future__ import annotations

import asyncio
import inspect
import queue
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar, cast

T = TypeVar("T")
Call = Callable[[Callable[[Any], Any], Any], Awaitable[Any]]
"""Calls a function of the caller's with a value and returns its result; one that is to be awaited is awaited."""


async def call_here(function: Callable[[Any], Any], value: Any) -> Any:
    """Call a function in this thread."""
    result = function(value)
    return await result if inspect.isawaitable(result) else result


def run_to_end(work: Callable[[Call], Coroutine[Any, Any, T]]) -> T:
    """Run `work` to its end; it gets what calls the caller's functions. Ctrl-C cancels it and waits for it."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        try:
            return asyncio.run(work(call_here))
        except KeyboardInterrupt as error:
            # asyncio makes it anew of the cancelled work, whose notes say how to go on.
            for note in getattr(error.__context__, "__notes__", ()):
                error.add_note(note)
            raise
    return cast(T, _Beside(work).to_end())


class _Beside:
    """One piece of work in a thread of its own."""

    def __init__(self, work: Callable[[Call], Coroutine[Any, Any, Any]]) -> None:
        self._work = work
        self._orders: queue.SimpleQueue[tuple[Callable[[Any], Any], Any, Future[Any]] | None] = queue.SimpleQueue()
        self._result: Future[Any] = Future()
        self._begun = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None

    def to_end(self) -> Any:
        """Run the work, and the functions that it wants called here."""
        thread = threading.Thread(target=self._run, name="selfheal", daemon=True)
        thread.start()
        try:
            while (order := self._orders.get()) is not None:
                function, value, future = order
                if not future.set_running_or_notify_cancel():
                    continue
                try:
                    future.set_result(function(value))
                except Exception as error:
                    # The work may have been waiting for this in vain: it decides what the error means.
                    future.set_exception(error)
        except BaseException:
            self._cancel()
            thread.join()
            raise
        thread.join()
        return self._result.result()

    def _run(self) -> None:
        try:
            self._result.set_result(asyncio.run(self._main()))
        except BaseException as error:
            self._result.set_exception(error)
        finally:
            self._begun.set()
            self._orders.put(None)

    async def _main(self) -> Any:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._begun.set()
        return await self._work(self._call_there)

    async def _call_there(self, function: Callable[[Any], Any], value: Any) -> Any:
        future: Future[Any] = Future()
        self._orders.put((function, value, future))
        result = await asyncio.wrap_future(future)
        return await result if inspect.isawaitable(result) else result

    def _cancel(self) -> None:
        self._begun.wait()
        if self._loop is not None and self._task is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)
