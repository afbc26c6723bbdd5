"""The run of the open session on its screen: opened, driven, paused, and each event folded into the model."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message

from selfheal_tui.engine.moment.events import CheckpointSaved, DriverSeen, Event, ThoughtStreamed, TokenStreamed
from selfheal_tui.environments import other_python_words
from selfheal_tui.errors import InputError, SelfHealError, SessionDamaged
from selfheal_tui.extensions import enabled_record, other_plugins_words, take_problems
from selfheal_tui.sandbox.allowance import no_more_words
from selfheal_tui.setting_layers import interpreter_words

from ..view.model import pause_run, reduce, start_run
from .asking import Asking
from .branching import Branching
from .noting import with_notes
from .port import RunPort

if TYPE_CHECKING:
    from selfheal_tui.engine.history.watched_session import WatchedSession
    from selfheal_tui.engine.moment.state import Manifest
    from selfheal_tui.engine.session.hooks import Hooks
    from selfheal_tui.engine.session.session import Session


class Running:
    """Opens the session, drives it, and shows what becomes of it."""

    def __init__(
        self,
        port: RunPort,
        branching: Branching,
        asking: Asking,
        session_id: str,
        *,
        paused: bool = False,
        waits: bool = False,
    ) -> None:
        self._port, self._branching, self._asking, self._session_id = port, branching, asking, session_id
        self._paused, self._waits = paused or waits, waits
        """Whether the session is opened without going on."""
        self._before = port.model
        """The model that a refused answer brings back."""
        self.title = session_id
        self.began_at = Message().time
        """When the run began, on the clock of Textual's messages."""
        self.manifest: Manifest | None = None
        """What the session was created from; None until it is open."""
        self.allowed: tuple[str, ...] = ()
        """What tests may have beyond the sandbox."""

    def open(self) -> None:
        """Open the session and go on with it, or follow who drives it."""
        workbench = self._port.app.workbench
        self._port.driver.open(workbench, self._session_id, self._opened)
        if workbench.hooks is not None:
            self._port.start_work("hooks", partial(self._tell_troubles, workbench.hooks))

    async def _tell_troubles(self, hooks: Hooks) -> None:
        async with aclosing(hooks.troubles()) as troubles:
            async for trouble in troubles:
                self._port.notify(trouble, severity="warning", markup=False)

    def _opened(self, session: Session | WatchedSession) -> None:
        self.title = session.title or self._session_id
        self._port.start_work("begin", partial(self._begin, session), exclusive=False)

    async def _begin(self, session: Session | WatchedSession) -> None:
        from selfheal_tui.engine.history.watched_session import WatchedSession

        port = self._port
        timeline = await session.timeline()
        beginning = None if timeline.checkpoints else await session.beginning()
        driven = port.driver.session
        watched = None if driven else ""
        if driven is not None:
            self.allowed = driven.allowed
            if not port.app.settings.python and (words := interpreter_words(port.app.settings, os.environ)):
                port.notify(words, severity="warning", markup=False)
            if words := other_python_words(await driven.python(), port.app.settings.python):
                port.notify(f"{words[0].upper()}{words[1:]}", severity="warning", markup=False)
            if words := other_plugins_words(driven.began_with, enabled_record()):
                port.notify(f"{words[0].upper()}{words[1:]}", severity="warning", markup=False)
            if words := no_more_words(await driven.had_allowed(), driven.allowed):
                port.notify(f"{words[0].upper()}{words[1:]}", severity="warning", markup=False)
        begun = replace(port.model, timeline=timeline, beginning=beginning, watched=watched)
        if isinstance(session, WatchedSession):
            rest = session.rest.words if session.rest is not None else ""
            begun = replace(begun, only_read=port.driver.only_read, rest=rest)
        port.app.only_read_id = self._session_id if begun.only_read is not None else ""
        if driven is not None:
            begun = await with_notes(begun, driven, running=False)
            if race := await driven.branches.race():
                # Its lanes tell of themselves alone: the moment that they started from stands in the middle.
                begun = replace(begun, committed=await driven.snapshot(race.details["at"]))
        self.manifest = await session.manifest()
        port.show(replace(begun, has_folder=self.manifest["root"] is not None))
        port.app.settle()
        stands = timeline.branches.get(timeline.stands)
        port.evidence.transcript.begin(timeline.lineage(stands.head if stands is not None else ""))
        paused, self._paused = self._paused, False
        if isinstance(session, WatchedSession):
            await self.drive(session.follow())
        elif paused and await session.head() is not None:
            await self._branching.stand()
        elif self._waits:
            port.show(pause_run(port.model))
        else:
            await self.drive(session.resume())

    async def drive(self, events: AsyncIterator[Event]) -> None:
        """End the run that goes on, if any, and draw these events instead."""
        self._before = self._port.model
        self.began_at = Message().time
        self._port.show_timeline(False)
        self._port.show(start_run(self._port.model))
        await self._port.driver.start(events)

    async def pause(self) -> None:
        """Interrupt the run."""
        await self._port.driver.pause()
        self._port.show(pause_run(self._port.model))

    async def stop(self) -> None:
        """End the run at once, as a stop at a question does; what was saved is kept, and `u` goes back."""
        port, search = self._port, self._port.model.live.search
        await self.pause()
        session = port.driver.session
        if session is None:
            return
        await self.drive(session.stop(search.best if search is not None else ""))
        self._branching.offer_undo("u takes the stop back")

    def take_best(self) -> None:
        """Let the search end with the best it has."""
        session = self._port.driver.session
        if session is not None and session.take_best():
            self._port.notify("The search ends; the best it found is tried now.", markup=False)

    async def retry(self) -> None:
        """Go on from the last saved moment; one that could not be opened, or that nobody drives now, is opened."""
        port = self._port
        if port.model.watched is not None:
            await port.driver.close()
            port.show(replace(port.model, watched=None))
        session = port.driver.session
        if session is not None:
            await self.drive(session.resume())
        else:
            port.show(start_run(port.model))
            self.open()

    # what the driver hears

    def tell(self, event: Event) -> None:
        """Show an event."""
        port = self._port
        self._asking.settle()
        port.evidence.transcript.tell(event)
        if isinstance(event, DriverSeen) or self._goes_back(event):
            self._branching.reload_tree()
        for sentence in take_problems():
            port.notify(sentence, severity="warning", markup=False)
        model = reduce(port.model, event)
        # Tokens come by the hundred, and most change nothing here.
        if model is not port.model or not isinstance(event, TokenStreamed | ThoughtStreamed):
            port.show(model)

    def _goes_back(self, event: Event) -> bool:
        """Tell whether who drives the session took something back: branches then have other names."""
        model = self._port.model
        return (
            model.watched is not None
            and isinstance(event, CheckpointSaved)
            and event.checkpoint.id in model.timeline.checkpoints
        )

    def refuse(self, error: SelfHealError) -> None:
        """Say in the line that was answered, else at the question, what is wrong; any other error ends the run."""
        port = self._port
        if not isinstance(error, InputError) or self._before.committed is None:
            self._asking.settle()
            if isinstance(error, SessionDamaged):
                port.app.only_read_id = self._session_id
            port.show(replace(port.model, running=False, error=error))
            return
        port.side.grace("")
        port.show(self._before)
        card = port.side.card
        if self._asking.refuse(str(error)):
            return
        if card is not None:
            card.say(str(error))
        else:
            port.notify(str(error), severity="error", markup=False)

    def end(self) -> None:
        """Show the tree as the store has it now."""
        self._asking.settle()
        self._branching.reload_tree()
