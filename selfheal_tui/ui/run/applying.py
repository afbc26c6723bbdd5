"""What becomes of a healed program, at its end: written into the folder, committed, or copied."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.engine.moment.state import WELL_ENDED
from selfheal_tui.engine.moment.unsettled import doubt_words
from selfheal_tui.engine.moment.workspace import unified_diff
from selfheal_tui.errors import SelfHealError
from selfheal_tui.settings import sessions_flag
from selfheal_tui.text import one_line, plural

from ..view.model import InFolder
from .asking import Asking
from .cards.end import EndCard
from .port import RunPort

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.out.applying import Writing

_MOST_DOUBTS = 2


class Applying:
    """Shows the change, asks, and does it; the same as `selfheal sessions apply`."""

    def __init__(self, port: RunPort, asking: Asking, session_id: str) -> None:
        self._port, self._asking, self._session_id = port, asking, session_id
        self._asked_at = ""
        """The moment at which the user was asked before an undo, or committed: what is written stays."""
        self._commit: tuple[Mapping[str, str], str] | None = None
        """The program that was committed last, and the commit."""
        self._looked_at = ""
        """The end whose program was last looked for in the folder."""

    @property
    def can_apply(self) -> bool:
        """Whether a program that passes every case is at its end, and was changed."""
        model = self._port.model
        snapshot = model.shown
        if snapshot is None or model.past is not None or model.running or model.watched is not None:
            return False
        at_end = model.outcome in WELL_ENDED or isinstance(self._port.side.card, EndCard)
        return at_end and any(text != snapshot.base.get(path) for path, text in snapshot.program.items())

    def follow(self) -> None:
        """At an end, look once whether the folder holds the program already."""
        position = self._port.model.position or ""
        at_end = self._port.model.has_folder and self.can_apply
        if not at_end:
            self._looked_at = ""
        elif position != self._looked_at:
            self._looked_at = position
            self._port.start_work("folder", self._look_into_folder)

    async def _look_into_folder(self) -> None:
        if not self.can_apply or self._port.driver.saved is None:
            return
        snapshot = self._snapshot
        try:
            writing = await self._planned()
        except SelfHealError:
            in_folder = None  # the files are others by now, which W says when it refuses
        else:
            in_folder = self._in_folder(snapshot, writing)
        self._port.show(replace(self._port.model, in_folder=in_folder))

    def _in_folder(self, snapshot: Snapshot, writing: Writing) -> InFolder | None:
        if writing.pending or not writing.wanted:
            untouched = len(writing.pending) == len(writing.wanted)
            return InFolder(snapshot.checkpoint_id) if untouched else None
        if self._commit is not None and self._commit[0] == snapshot.program:
            return InFolder(snapshot.checkpoint_id, f"committed as {self._commit[1]}", committed=True)
        return InFolder(snapshot.checkpoint_id, f"written into your files ({one_line(str(writing.folder), 200)})")

    def show_change(self) -> None:
        """Bring the whole change to the front."""
        self._port.evidence.tabs.activate("diff")

    def write(self) -> None:
        """Show what would be written into the folder and ask; what is there already can be put back."""
        self._port.start_work("apply", partial(self._told, self._ask_to_write))

    def commit(self) -> None:
        """Ask for the message of a commit of exactly these files."""
        self._port.start_work("apply", partial(self._told, self._ask_to_commit))

    def copy_change(self) -> None:
        """Copy the whole change as a diff."""
        snapshot = self._port.model.shown
        if snapshot is not None:
            self._port.app.copy("the change", unified_diff(snapshot.base, snapshot.program))

    async def before_undo(self) -> str | None:
        """Ask to put back what the folder holds of the program, once; None: it asked, so nothing is undone yet.

        Otherwise return in words what stays in the folder; empty where it holds nothing of it.
        """
        if not (self._port.model.has_folder and self.can_apply):
            return ""
        try:
            writing = await self._planned()
        except SelfHealError:
            return ""  # the files are others by now
        if writing.pending:
            return ""
        if self._asked_at == self._snapshot.checkpoint_id:
            return f"The repair stays written in {writing.folder}."
        await self._ask_to_put_back(writing.folder, "esc cancels; u again takes your answer back and leaves the files")
        self._asked_at = self._snapshot.checkpoint_id
        return None

    async def _told(self, task: Callable[[], Awaitable[None]]) -> None:
        try:
            await task()
        except SelfHealError as error:
            self._port.notify(str(error), severity="error", markup=False)

    async def _ask_to_write(self) -> None:
        writing = await self._planned()
        if not writing.pending:
            await self._ask_to_put_back(writing.folder, "esc cancels")
            return
        self.show_change()
        title = f"Write {writing.words}? The Diff tab shows the change."
        do = partial(self._write, writing, "Written", "W or u puts back what was there.")
        self._asking.ask_here(self._doubts + title, "enter writes · esc cancels", do)

    async def _ask_to_put_back(self, folder: Path, otherwise: str) -> None:
        from selfheal_tui.engine.out.applying import plan_putting_back

        back = await asyncio.to_thread(plan_putting_back, self._snapshot, folder)
        self.show_change()
        title = f"{folder} holds this program. Put {plural(len(back.pending), 'file')} back as given?"
        do = partial(self._write, back, "Put back", "W writes the repair again.")
        self._asking.ask_here(title, f"enter puts back · {otherwise}", do)

    async def _write(self, writing: Writing, done: str, again: str, _: str) -> None:
        from selfheal_tui.engine.out.applying import write

        written = await asyncio.to_thread(write, writing)
        self._asked_at, self._commit = "", None
        await self._look_into_folder()
        self._port.notify(f"{done}: {', '.join(map(str, written))}. {again}", markup=False)

    async def _ask_to_commit(self) -> None:
        from selfheal_tui.engine.out.applying import write
        from selfheal_tui.engine.out.committing import commit, committed_words, default_message, plan_commit

        writing = await self._planned()
        planned = await asyncio.to_thread(plan_commit, writing.folder, writing.wanted)
        self.show_change()

        async def do(message: str) -> None:
            if writing.pending:
                await asyncio.to_thread(write, writing)
            made = await asyncio.to_thread(commit, planned, message)
            self._asked_at = self._snapshot.checkpoint_id
            self._commit = self._snapshot.program, made
            await self._look_into_folder()
            self._port.notify(committed_words(planned, made), markup=False)

        first = "writes and commits" if writing.pending else "commits"
        self._asking.ask_here(
            f"{self._doubts}Commit {planned.words}. Message:",
            f"enter {first}, no hook runs · esc cancels",
            do,
            "A commit needs a message.",
            text=default_message(writing.wanted),
        )

    @property
    def _snapshot(self) -> Snapshot:
        snapshot = self._port.model.shown
        assert snapshot is not None, "offered where a moment is shown"
        return snapshot

    @property
    def _doubts(self) -> str:
        """What speaks against the program that is shown, a line each above the question; empty when nothing does."""
        doubts = doubt_words(self._snapshot.doubts, self._snapshot.unsettled)
        more = len(doubts) - _MOST_DOUBTS
        lines = [f"⚠ {one_line(doubt, 300)}\n" for doubt in doubts[:_MOST_DOUBTS]]
        return "".join([*lines, f"⚠ and {plural(more, 'more doubt')}\n" if more > 0 else ""])

    async def _planned(self) -> Writing:
        from selfheal_tui.engine.out.applying import plan_writing

        session, snapshot = self._port.driver.saved, self._snapshot
        assert session is not None, "offered where a session is open"
        address = self._session_id + sessions_flag(self._port.app.settings)
        # At the question whether it is healed every case passes already.
        at_end = isinstance(self._port.side.card, EndCard)
        return await asyncio.to_thread(plan_writing, snapshot, await session.root(), address, unhealed=at_end)
