"""One thread of the editor: it drives one session of selfheal, a prompt at a time, and asks what the loop asks.

A session is opened for a turn and closed after it, so between turns the app or a command can go on with it.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from acp.helpers import ContentBlock, update_tool_call
from acp.schema import CurrentModeUpdate, PermissionOption, SessionInfoUpdate, StopReason

from selfheal_tui.engine.moment.events import RunFailed
from selfheal_tui.engine.moment.review import approve, reject, stop
from selfheal_tui.engine.moment.state import AUTONOMIES, Autonomy
from selfheal_tui.engine.session.changes import split_assignment, typed_changes
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.task.task import load_task
from selfheal_tui.errors import InputError, SelfHealError
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.store.sessions import DB_NAME
from selfheal_tui.text import one_line, outcome_word, with_session

from .desk import Desk
from .driving import Driver
from .editor import Editor
from .markup import code, prose
from .replay import replayed
from .results import status_words
from .wish import Wish, read_wish

_TRUST, _LEAVE_OUT = "trust", "leave-out"
_PROJECT, _TEXT = "project", "text"
_NOTHING_YET = "Nothing was healed in this thread yet."


class Thread:
    """One session of the protocol."""

    def __init__(self, session_id: str, desk: Desk, editor: Editor) -> None:
        self.session_id = session_id
        self._desk, self._editor = desk, editor
        self._driver = Driver(session_id, desk.folder, editor)
        self._teller = self._driver.teller
        self._turn: asyncio.Task[None] | None = None
        self._asking: asyncio.Task[None] | None = None
        """Asks the question that waited when the thread was loaded, before anybody sent a prompt."""
        self._is_trust_settled = False
        self._autonomy: Autonomy | None = None
        """What the user chose in the editor; None for what the settings say."""

    @property
    def autonomy(self) -> Autonomy:
        """Who decides what, in a session that is made now. Raises: SettingsError."""
        return self._autonomy or self._desk.settings().autonomy

    @property
    def has_session(self) -> bool:
        """Whether something was healed in this thread."""
        return (self._home / self.session_id / DB_NAME).is_file()

    async def take(self, blocks: Sequence[ContentBlock]) -> StopReason:
        """Carry a prompt out. Raises: InputError while another turn runs."""
        if self._turn is not None and not (self._asking and self._driver.is_asked):
            raise InputError("A turn runs in this thread already.", "Cancel it first.")
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking})
        return await self._as_turn(self._carried_out(blocks))

    async def tell_history(self) -> None:
        """Tell all that happened where the session stands. Raises: InputError, SessionError."""
        async with self._desk.opened() as workbench, workbench.watch_session(self.session_id) as session:
            manifest, timeline = await session.manifest(), await session.timeline()
            head = await session.head()
            snapshot = await session.snapshot(head) if head else (await session.beginning()).snapshot
            self._teller.root = await session.root()
            line = timeline.lineage(head) if head else ()
            updates = [*replayed(manifest, snapshot.spec, line, self._teller.new_id)]
            upcoming = line[-1].next if line else ()
            updates += self._teller.planned(snapshot, upcoming[0] if upcoming else snapshot.node)
            await self._editor.update(*updates)
            await self._editor.say(status_words(session.title, snapshot, running=bool(upcoming)))

    async def check(self) -> None:
        """Check that the session can be read. Raises: InputError, SessionError."""
        async with self._desk.opened() as workbench, workbench.watch_session(self.session_id) as session:
            await session.timeline()

    def ask_again(self) -> None:
        """Ask the question that waits, if one does, beside any prompt; a prompt takes its place."""
        self._asking = asyncio.create_task(self._asked_again())

    async def choose(self, autonomy: str) -> None:
        """Let others decide than before, from the next step on. Raises: InputError."""
        if autonomy not in AUTONOMIES:
            raise InputError(f"There is no mode {one_line(autonomy, 40)!r}.", f"There are: {', '.join(AUTONOMIES)}.")
        if self._turn is not None:
            raise InputError("The mode cannot change while a run goes on.", "Cancel it first, or wait for its end.")
        if self.has_session:
            async with self._session() as session:
                head = await session.head()
                if head is None:
                    await session.begin_with({"autonomy": autonomy})
                elif (await session.snapshot(head)).autonomy != autonomy:
                    async with aclosing(session.fork(head, {"autonomy": autonomy}, run=False)) as events:
                        async for event in events:
                            if isinstance(event, RunFailed):
                                raise event.error
        self._autonomy = autonomy

    def cancel(self) -> None:
        """Cancel what runs; what was done is saved."""
        for task in (self._turn, self._asking):
            if task is not None:
                task.cancel()

    async def aclose(self) -> None:
        """Cancel what runs, and wait for its end."""
        self.cancel()
        if tasks := {task for task in (self._turn, self._asking) if task is not None}:
            await asyncio.wait(tasks)

    @property
    def _home(self) -> Path:
        return self._desk.settings().sessions

    async def _as_turn(self, doing: Coroutine[Any, Any, None]) -> StopReason:
        turn = self._turn = asyncio.create_task(doing)
        try:
            await asyncio.wait({turn})
        finally:
            if not turn.done():  # whoever waits for the turn is cancelled itself: the editor is gone
                turn.cancel()
                await asyncio.wait({turn})
            self._turn = None
        if not turn.cancelled() and not isinstance(turn.exception(), ConnectionError):
            turn.result()
            return "end_turn"
        with suppress(ConnectionError):
            await self._editor.update(*self._teller.ended())
            if self.has_session:
                await self._editor.say("Cancelled. What was done is saved; `/resume` goes on.")
        return "cancelled"

    async def _asked_again(self) -> None:
        try:
            async with self._desk.opened() as workbench, workbench.watch_session(self.session_id) as session:
                head = await session.head()
                if head is None or (await session.checkpoint(head)).pending is None:
                    return
            await self._as_turn(self._told(self._go_on()))
        except SelfHealError as error:
            await self._editor.say(f"⚠ {prose(str(error))}")
        finally:
            self._asking = None

    async def _carried_out(self, blocks: Sequence[ContentBlock]) -> None:
        await self._told(self._do(blocks))

    async def _told(self, doing: Coroutine[Any, Any, None]) -> None:
        """Await what is done; what was expected to fail is told as a sentence."""
        try:
            await doing
        except SelfHealError as error:
            await self._editor.update(*self._teller.ended())
            await self._editor.say(f"⚠ {prose(with_session(str(error), self.session_id))}")

    async def _do(self, blocks: Sequence[ContentBlock]) -> None:
        wish = read_wish(blocks, self._desk.folder)
        match wish.command:
            case "fix" | "new":
                await self._start(wish)
            case "status":
                await self._status()
            case "apply":
                await self._apply(unhealed="unhealed" in wish.text.split())
            case "undo":
                await self._undo()
            case "fork":
                await self._fork(wish.text)
            case "approve" | "reject" | "stop":
                await self._decide(wish.command, wish.text)
            case "resume":
                await self._go_on()
            case _ if not self.has_session:
                await self._start(wish)
            case _ if self._driver.lacks_reason:
                await self._decide("reject", wish.text)
            case _:
                await self._go_on()

    async def _settle_trust(self) -> None:
        """Ask once whether what the folder brings counts."""
        if self._is_trust_settled or not self._desk.asks:
            return
        lines = "\n".join(f"- {code(line, 300)}" for line in self._desk.brings())
        await self._editor.say(f"{code(str(self._desk.folder))} brings settings of its own:\n\n{lines}")
        options = [
            PermissionOption(option_id=_TRUST, name="Use them until they change", kind="allow_always"),
            PermissionOption(option_id=_LEAVE_OUT, name="Leave them out", kind="reject_once"),
        ]
        call_id = self._teller.new_id()
        chosen = await self._editor.ask(call_id, "Use the settings that this folder brings?", options)
        if chosen == _TRUST:
            await asyncio.to_thread(self._desk.accept)
        title = "The folder's settings are used" if chosen == _TRUST else "The folder's settings are left out"
        await self._editor.update(update_tool_call(call_id, title=title, status="completed"))
        self._is_trust_settled = True

    async def _start(self, wish: Wish) -> None:
        if self.has_session:
            raise InputError(
                f"This thread is session {self.session_id} already.",
                "Open a new thread to heal something else. Here: /status, /resume, /undo, /fork, /apply.",
            )
        await self._settle_trust()
        is_spec = wish.command == "new" or await self._means_text(wish)
        paths = () if is_spec else self._paths(wish)
        spec = wish.text if is_spec else wish.spec
        task = await asyncio.to_thread(load_task, paths, wish.tests, spec)
        for note in self._desk.notes(task, paths):
            await self._editor.say(prose(note))
        options = replace(await asyncio.to_thread(self._desk.options, task.mode), autonomy=self.autonomy)
        async with self._desk.opened() as workbench:
            workbench.warm_up(task)
            await workbench.create(task, options, self.session_id)
            await self._desk.remember(workbench, self.session_id)
            mode = CurrentModeUpdate(session_update="current_mode_update", current_mode_id=options.autonomy)
            title = SessionInfoUpdate(session_update="session_info_update", title=one_line(task.title, 100))
            await self._editor.update(title, mode)
            async with workbench.open_session(self.session_id) as session:
                await self._driver.drive(self._home, session, session.resume())

    def _paths(self, wish: Wish) -> Sequence[Path]:
        if wish.paths or not wish.tests:
            return wish.paths or (self._desk.folder,)
        return tuple(dict.fromkeys(Path(str(test).partition("::")[0]) for test in wish.tests))

    async def _means_text(self, wish: Wish) -> bool:
        """Tell whether words without a path are what code should do; asked where they could mean the project too."""
        has_model = self._desk.settings().models().get("*", SEARCH) != SEARCH
        if wish.command or wish.paths or wish.tests or wish.means_project or not has_model:
            return False
        options = [
            PermissionOption(option_id=_PROJECT, name="Heal this project", kind="allow_once"),
            PermissionOption(option_id=_TEXT, name="Write code for this text", kind="allow_once"),
        ]
        call_id = self._teller.new_id()
        chosen = await self._editor.ask(call_id, "What is wanted? The text names no file.", options)
        await self._editor.update(update_tool_call(call_id, status="completed"))
        return chosen == _TEXT

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[Session]:
        if not self.has_session:
            raise InputError(_NOTHING_YET, "Name a file, or say: /fix")
        await self._settle_trust()
        async with self._desk.opened() as workbench, workbench.open_session(self.session_id) as session:
            self._teller.root = await session.root()
            yield session

    async def _go_on(self) -> None:
        async with self._session() as session:
            await self._driver.drive(self._home, session, session.resume())

    async def _decide(self, verdict: str, text: str) -> None:
        answers = {"approve": approve(text), "reject": reject(text), "stop": stop(text)}
        async with self._session() as session:
            timeline = await session.timeline()
            head = await session.head()
            if head is None or timeline.checkpoints[head].pending is None:
                raise InputError("No question waits here.", "/status says where the session stands.")
            await self._driver.drive(self._home, session, session.decide(head, answers[verdict]))

    async def _undo(self) -> None:
        async with self._session() as session:
            undone = await session.branches.undo()
            timeline = await session.timeline()
            branch = timeline.branches.get(timeline.stands)
            where = f"on {code(branch.name, 60)}, {outcome_word(branch.outcome)}" if branch else "at its beginning"
            await self._editor.say(f"Undid {prose(undone.words)}. The session stands {where}.")
            if branch and branch.outcome == "waiting":
                await self._driver.drive(self._home, session, session.resume())

    async def _fork(self, text: str) -> None:
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise InputError(f"The changes cannot be read: {error}.", "Put a value with blanks into quotes.") from error
        if not words:
            raise InputError("A fork changes something.", "As in: /fork max_iterations=10")
        assignments = [split_assignment(_with_folder(word, self._desk.folder)) for word in words]
        async with self._session() as session:
            head = await session.head()
            if head is None:
                raise InputError("The session has not run yet.", "Start it: /resume")
            snapshot = await session.snapshot(head)
            changes = typed_changes(assignments, snapshot.program, snapshot.origins)
            await self._driver.drive(self._home, session, session.fork(head, changes))

    async def _status(self) -> None:
        if not self.has_session:
            raise InputError(_NOTHING_YET, "Name a file, or say: /fix")
        async with self._desk.opened() as workbench, workbench.watch_session(self.session_id) as session:
            head = await session.head()
            snapshot = await session.snapshot(head) if head else (await session.beginning()).snapshot
            running = head is None or bool((await session.checkpoint(head)).next)
            await self._editor.say(status_words(session.title, snapshot, running=running))
            await self._editor.say(
                f"Session {code(self.session_id)}: `selfheal resume {self.session_id}` opens the app."
            )

    async def _apply(self, *, unhealed: bool) -> None:
        if not self.has_session:
            raise InputError(_NOTHING_YET, "Name a file, or say: /fix")
        async with self._desk.opened() as workbench, workbench.watch_session(self.session_id) as session:
            head = await session.head()
            if head is None:
                raise InputError("The session has not run yet: there is nothing to write.", "Start it: /resume")
            snapshot, self._teller.root = await session.snapshot(head), await session.root()
            branches = (await session.timeline()).branches.values()
        healed = [one.name for one in branches if one.outcome == "healed" and not one.hidden]
        await self._driver.offer(self._home, snapshot, workbench.hooks, unhealed=unhealed, healed=healed)


def _with_folder(assignment: str, folder: Path) -> str:
    """Take the file of `FIELD=@FILE` from the thread's folder."""
    field, mark, name = assignment.partition("=@")
    return f"{field}=@{folder / name}" if mark else assignment
