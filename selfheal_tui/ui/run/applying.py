"""What becomes of a healed program, at its end: written into the folder, committed, or copied."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from selfheal_tui.engine.moment.workspace import unified_diff
from selfheal_tui.errors import SelfHealError
from selfheal_tui.settings import sessions_flag
from selfheal_tui.text import plural

from .asking import Asking
from .cards.end import EndCard
from .port import RunPort

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.out.applying import Writing


class Applying:
    """Shows the change, asks, and does it; the same as `selfheal sessions apply`."""

    def __init__(self, port: RunPort, asking: Asking, session_id: str) -> None:
        self._port, self._asking, self._session_id = port, asking, session_id

    @property
    def can_apply(self) -> bool:
        """Whether a program that passes every case is at its end, and was changed."""
        model = self._port.model
        snapshot = model.shown
        if snapshot is None or model.past is not None or model.running or model.watched is not None:
            return False
        at_end = model.outcome == "healed" or isinstance(self._port.side.card, EndCard)
        return at_end and any(text != snapshot.base.get(path) for path, text in snapshot.program.items())

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

    async def _told(self, task: Callable[[], Awaitable[None]]) -> None:
        try:
            await task()
        except SelfHealError as error:
            self._port.notify(str(error), severity="error", markup=False)

    async def _ask_to_write(self) -> None:
        from selfheal_tui.engine.out.applying import plan_putting_back, write

        writing = await self._planned()
        back = not writing.pending
        if back:
            writing = await asyncio.to_thread(plan_putting_back, self._snapshot, writing.folder)
        self.show_change()
        title = (
            f"{writing.folder} holds this program. Put {plural(len(writing.pending), 'file')} back as given?"
            if back
            else f"Write {writing.words}? The Diff tab shows the change."
        )

        async def do(_: str) -> None:
            written = await asyncio.to_thread(write, writing)
            again = "W writes the repair again." if back else "W puts back what was there."
            done = "Put back" if back else "Written"
            self._port.notify(f"{done}: {', '.join(map(str, written))}. {again}", markup=False)

        self._asking.ask_here(title, f"enter {'puts back' if back else 'writes'} · esc cancels", do)

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
            self._port.notify(committed_words(planned, made), markup=False)

        first = "writes and commits" if writing.pending else "commits"
        self._asking.ask_here(
            f"Commit {planned.words}. Message:",
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

    async def _planned(self) -> Writing:
        from selfheal_tui.engine.out.applying import plan_writing

        session, snapshot = self._port.driver.saved, self._snapshot
        assert session is not None, "offered where a session is open"
        address = self._session_id + sessions_flag(self._port.app.settings)
        # At the question whether it is healed every case passes already.
        at_end = isinstance(self._port.side.card, EndCard)
        return await asyncio.to_thread(plan_writing, snapshot, await session.root(), address, unhealed=at_end)
