"""A run of the loop, driven for an editor: events are told, questions asked, and what is healed is offered."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from pathlib import Path

from acp.helpers import update_tool_call

from selfheal_tui.engine.moment.events import CheckpointSaved, Event, RaceFinished, ReviewRequested, RunFailed
from selfheal_tui.engine.moment.review import Answer
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import WELL_ENDED
from selfheal_tui.engine.out.applying import plan_writing
from selfheal_tui.engine.session.hook_story import SessionPlace
from selfheal_tui.engine.session.hooks import Hooks
from selfheal_tui.engine.session.session import Session
from selfheal_tui.errors import InputError

from .applying import offer as offer_writing
from .editor import Editor
from .questions import answer_of, build_question
from .results import result_updates, result_words
from .telling import Teller


class Driver:
    """Drives the session of one thread."""

    def __init__(self, session_id: str, folder: Path, editor: Editor) -> None:
        """`folder` is where the program goes of a session whose files came from none."""
        self._session_id, self._folder, self._editor = session_id, folder, editor
        self.teller = Teller(secrets.token_hex(3))
        self.is_asked = False
        """Whether the user is asked about the run and has not answered."""
        self.lacks_reason = False
        """Whether the question that waits was answered with a rejection that lacks its reason."""

    async def offer(
        self,
        home: Path,
        snapshot: Snapshot,
        hooks: Hooks | None,
        *,
        unhealed: bool = False,
        healed: Sequence[str] = (),
    ) -> None:
        """Show what a moment's program changes in the user's files, ask, and write it; `home` holds the sessions.

        Raises: InputError for what cannot be written.
        """
        root = self.teller.root
        output = None if root is not None else self._folder
        writing = await asyncio.to_thread(
            lambda: plan_writing(snapshot, root, self._session_id, output=output, unhealed=unhealed, healed=healed)
        )
        place = SessionPlace(self._session_id, snapshot.title, home, root)
        await offer_writing(self._editor, self.teller.new_id(), writing, snapshot, place, hooks)

    async def drive(self, home: Path, session: Session, events: AsyncGenerator[Event, None]) -> None:
        """Follow a run, ask what it asks and go on with the answer, to its end or to a question that is left open.

        Raises: what the run could not go on for.
        """
        self.lacks_reason = False
        self.teller.root = await session.root()
        if await session.head() is None:
            await self._editor.update(*self.teller.planned((await session.beginning()).snapshot, "start"))
        while True:
            last, newest = await self._follow(events)
            if not isinstance(last, ReviewRequested):
                break
            answer = await self._ask(last)
            if answer is None:
                return
            events = session.decide(last.checkpoint_id, answer)
        if isinstance(last, RunFailed):
            raise last.error
        if isinstance(last, RaceFinished):
            await self._editor.say(f"A race waits for your choice: `selfheal resume {self._session_id}` shows it.")
            return
        snapshot = getattr(last, "snapshot", newest)
        if snapshot is None:
            return
        await self._editor.update(*result_updates(snapshot, self.teller.root, self.teller.new_id))
        await self._editor.say(result_words(snapshot))
        if snapshot.outcome in WELL_ENDED and snapshot.program != snapshot.base:
            await self.offer(home, snapshot, session.hooks)

    async def _follow(self, events: AsyncGenerator[Event, None]) -> tuple[Event | None, Snapshot | None]:
        last, newest = None, None
        async with aclosing(events) as run:
            async for event in run:
                last = event
                if isinstance(event, CheckpointSaved):
                    newest = event.snapshot
                await self._editor.update(*self.teller.told(event))
        await self._editor.update(*self.teller.ended("completed"))
        return last, newest

    async def _ask(self, asked: ReviewRequested) -> Answer | None:
        """Ask a question of the loop; None where it is left open, as for the reason of a rejection."""
        question = build_question(asked.kind, asked.snapshot, self.teller.root)
        call_id = self.teller.new_id()
        await self._editor.update(*self.teller.planned(asked.snapshot, f"review_{asked.kind}"))
        self.is_asked = True
        try:
            option_id = await self._editor.ask(
                call_id,
                question.title,
                question.options,
                kind="edit" if asked.kind == "repair" else "think",
                content=question.content,
                locations=question.locations,
            )
        except (InputError, asyncio.CancelledError):
            with suppress(ConnectionError):
                await self._editor.update(update_tool_call(call_id, status="failed"))
            raise
        finally:
            self.is_asked = False
        answer = answer_of(option_id, asked.kind)
        is_yes = option_id.startswith("approve")
        await self._editor.update(update_tool_call(call_id, status="completed" if is_yes else "failed"))
        if answer is None:
            self.lacks_reason = True
            await self._editor.say(
                "Rejected. Say why in your next message: the next attempt gets it. (Or: `/approve`.)"
            )
        return answer
