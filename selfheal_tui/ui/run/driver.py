"""Drives one session for a screen: holds it open, runs one stream of events at a time, ends both in order.

A new run waits until the old one has ended (Textual's exclusive workers do not). Nothing here draws.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from textual.screen import Screen
from textual.worker import Worker, WorkerCancelled, WorkerFailed

from selfheal_tui.engine.moment.events import Event
from selfheal_tui.errors import SelfHealError, SessionBusy, SessionDamaged, SessionNotWritable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from selfheal_tui.engine.history.saved_session import SavedSession
    from selfheal_tui.engine.history.watched_session import WatchedSession
    from selfheal_tui.engine.session.session import Session
    from selfheal_tui.engine.session.workbench import Workbench

    OnOpen = Callable[[Session | WatchedSession], None]

READERS = ("begin", "look", "search", "reload", "details", "compare", "take", "try", "branch", "folder")
"""Groups of the screen's workers that read the session beside the run."""


class Driver:
    """Owns the session and the worker that consumes its events."""

    def __init__(
        self,
        screen: Screen[None],
        on_event: Callable[[Event], None],
        on_refused: Callable[[SelfHealError], None],
        on_ended: Callable[[], None],
    ) -> None:
        """`on_refused` hears an error raised before or instead of events; `on_ended` hears every end."""
        self.saved: SavedSession | None = None
        """The open session, to look at."""
        self.session: Session | None = None
        """The same, to act on; None where somebody else drives it."""
        self.only_read: SelfHealError | None = None
        """Why the open session can only be looked at, whoever drives it; None where it can be driven."""
        self._screen = screen
        self._on_event = on_event
        self._on_refused = on_refused
        self._on_ended = on_ended
        self._run: Worker[None] | None = None
        self._host: Worker[None] | None = None
        self._closing = asyncio.Event()
        self._turn = asyncio.Lock()

    @property
    def running(self) -> bool:
        """Whether events are being consumed."""
        return self._run is not None and not self._run.is_finished

    def open(self, workbench: Workbench, session_id: str, on_open: OnOpen) -> None:
        """Open the session, to read where it cannot be driven, and keep it open until `close`.

        An expected failure goes to `on_refused`.
        """
        self._closing = asyncio.Event()
        self._host = self._screen.run_worker(self._hold(workbench, session_id, on_open), group="session")

    async def start(self, events: AsyncIterator[Event]) -> None:
        """Consume events; a run that still goes on is cancelled and waited for first."""
        async with self._turn:
            await self._halt()
            self._run = self._screen.run_worker(self._consume(events), group="run")

    async def pause(self) -> None:
        """Cancel the run and wait until it has ended; what was saved stays."""
        async with self._turn:
            await self._halt()

    async def close(self) -> None:
        """End the run, then the session."""
        await self.pause()
        self._closing.set()
        if self._host is not None:
            await _ended(self._host)

    async def _hold(self, workbench: Workbench, session_id: str, on_open: OnOpen) -> None:
        try:
            try:
                self.only_read = None
                async with workbench.open_session(session_id) as session:
                    self.session = session
                    await self._keep(session, on_open)
            except (SessionBusy, SessionNotWritable) as error:
                self.only_read = None if isinstance(error, SessionBusy) else error
                async with workbench.watch_session(session_id) as watched:
                    await self._keep(watched, on_open)
        except SessionDamaged as error:
            await self._hold_rest(workbench, session_id, on_open, error)
        except SelfHealError as error:
            self._on_refused(error)

    async def _hold_rest(self, workbench: Workbench, session_id: str, on_open: OnOpen, why: SessionDamaged) -> None:
        """Hold open what can be read of a damaged session."""
        self.only_read = why
        try:
            async with workbench.look_at_rest(session_id, why) as rest:
                await self._keep(rest, on_open)
        except SelfHealError as error:
            self._on_refused(error)

    async def _keep(self, session: Session | WatchedSession, on_open: OnOpen) -> None:
        self.saved = session
        on_open(session)
        try:
            await self._closing.wait()
        finally:
            self.saved = self.session = None
            await self._halt()
            await self._end_readers()

    async def _consume(self, events: AsyncIterator[Event]) -> None:
        try:
            async with aclosing(cast("AsyncGenerator[Event, None]", events)) as stream:
                async for event in stream:
                    self._on_event(event)
        except SelfHealError as error:
            self._on_refused(error)
        else:
            self._on_ended()

    async def _end_readers(self) -> None:
        """Whatever still reads the session must end before its file is closed."""
        readers = [worker for worker in self._screen.workers if worker.group in READERS and not worker.is_finished]
        for worker in readers:
            worker.cancel()
        for worker in readers:
            await _ended(worker)

    async def _halt(self) -> None:
        if self._run is not None and not self._run.is_finished:
            self._run.cancel()
            await _ended(self._run)
        self._run = None


async def _ended(worker: Worker[None]) -> None:
    try:
        await worker.wait()
    except (WorkerCancelled, WorkerFailed):  # a failure was reported by Textual already
        return
