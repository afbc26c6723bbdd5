"""A run of a suite that was begun before anybody waits for it: the first one goes on while LangGraph is imported."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from typing import Any

from selfheal_tui.sandbox.base import CaseFinished, Sandbox, Suite, SuiteFinished, run_through


class SuiteRun:
    """Runs a suite beside its caller; each case is told once, to whoever listens then."""

    def __init__(self, sandbox: Sandbox, suite: Suite) -> None:
        """Begin the run, in a running event loop."""
        self.suite = suite
        self.began_s = time.monotonic()
        """When it began, on the monotonic clock."""
        self._cases: asyncio.Queue[CaseFinished | None] = asyncio.Queue()
        """Cases that nobody was told of; None wakes a listener."""
        self._task = asyncio.create_task(run_through(sandbox, suite, self._cases.put_nowait))
        self._task.add_done_callback(self._wake)

    async def cases(self, until: asyncio.Future[Any]) -> AsyncGenerator[CaseFinished, None]:
        """Yield each case as it ends, until `until` is done or the run is over. Never raises what the run raised."""
        until.add_done_callback(self._wake)
        try:
            while not (until.done() or (self._task.done() and self._cases.empty())):
                if (case := await self._cases.get()) is not None:
                    yield case
        finally:
            until.remove_done_callback(self._wake)

    async def result(self, tell: Callable[[CaseFinished], None]) -> SuiteFinished:
        """Tell of the cases that nobody was told of, and return what the run returns. Raises: SandboxError."""
        while not (self._task.done() and self._cases.empty()):
            if (case := await self._cases.get()) is not None:
                tell(case)
        return self._task.result()

    async def aclose(self) -> None:
        """Kill the run if it goes on, and wait until it is gone."""
        self._task.cancel()
        await asyncio.wait([self._task])
        if not self._task.cancelled():
            self._task.exception()  # told by `result`, or not asked for

    def _wake(self, _: object) -> None:
        self._cases.put_nowait(None)
