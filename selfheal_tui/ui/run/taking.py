"""What leaves the run screen: copies of what a tab shows, reports of the branch that is shown."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from textual import work

from selfheal_tui.errors import SelfHealError
from selfheal_tui.text import size_words

from .answering import Answering
from .looking import SLOW_S
from .status_bar import StatusBar
from .tabs.copying import copy_of
from .tabs.evidence import Evidence

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.out.transfer.writing import Exported
    from selfheal_tui.engine.session.session import Session

    from ..app import SelfHealApp

_Taken = TypeVar("_Taken")


class Taking(Answering):
    """A screen whose session can be copied from and exported."""

    app: SelfHealApp
    session_id: str

    def action_copy(self) -> None:
        """Copy what the tab in front shows."""
        if self.model.shown is not None:
            self.app.copy(*copy_of(self.query_one(Evidence), self.model.shown))

    @work(group="take", exclusive=True)
    async def action_copy_report(self) -> None:
        """Copy the report of the branch that is shown, in Markdown."""
        if text := await self._taken("report", partial(self._exported, "md")):
            self.app.copy("the report", text)

    @work(group="take", exclusive=True)
    async def action_export(self, form: str) -> None:
        """Write the branch that is shown, all decisions or the session into a new file of the current folder."""
        path = _free(Path.cwd(), self.session_id, "selfheal" if form == "session" else form)
        if form == "session":
            await self._hand_on(path)
            return
        text = await self._taken("report", self._decisions if form == "jsonl" else partial(self._exported, form))
        if not text:
            return
        try:
            with path.open("x", encoding="utf-8", newline="") as file:
                file.write(text)
        except OSError as error:
            self.notify(f"{path} cannot be written: {error.strerror}.", severity="error", markup=False)
            return
        self.notify(f"Written: {path}, {size_words(len(text.encode()))}", markup=False)

    async def _hand_on(self, path: Path) -> None:
        from selfheal_tui.engine.out.transfer.writing import write_session_file

        async def write(session: Session, _: Snapshot) -> Exported:
            folder = self.app.workbench.store.folder(session.id)
            given = (folder, path, dict(os.environ), str(Path.home()))
            writing = asyncio.ensure_future(asyncio.to_thread(write_session_file, *given))
            try:
                return await asyncio.shield(writing)
            except asyncio.CancelledError:
                # A thread cannot be stopped: what it still writes goes.
                writing.add_done_callback(lambda _: path.unlink(missing_ok=True))
                raise

        if done := await self._taken("file", write):
            left_out = f" Without keys and your home folder: {', '.join(done.redacted)}." if done.redacted else ""
            words = f"Written: {path}, {size_words(path.stat().st_size)}; open it with: selfheal resume {path.name}."
            self.notify(f"{words}{left_out}", markup=False)

    def stop_waiting(self) -> bool:
        """Give up a report that is still being made."""
        if all(worker.is_finished for worker in self.workers if worker.group == "take"):
            return False
        self.workers.cancel_group(self, "take")
        self.notify("Stopped; nothing was written.", markup=False)
        return True

    async def _taken(self, what: str, take: Callable[[Session, Snapshot], Awaitable[_Taken]]) -> _Taken | None:
        """Return what `take` makes of the session, and say when it takes long; nothing where that was told."""
        session, shown = self.driver.session, self.model.shown
        if session is None or shown is None:
            self.notify("There is nothing to tell of yet.", markup=False)
            return None
        status = self.query_one(StatusBar)
        slow = self.set_timer(SLOW_S, lambda: status.note(f"… the {what} is being made  esc stops"))
        try:
            return await take(session, shown)
        except SelfHealError as error:
            self.notify(str(error), severity="error", markup=False)
            return None
        finally:
            slow.stop()
            status.note("")

    async def _exported(self, form: str, session: Session, shown: Snapshot) -> str:
        from selfheal_tui.engine.out.export.forms import exported
        from selfheal_tui.engine.out.tell import tell_story

        story = await tell_story(session, shown.branch)
        text = await asyncio.to_thread(exported, story, form, dict(os.environ), str(Path.home()))
        if not text:
            self.notify("There is no change to export yet.", markup=False)
        return text

    async def _decisions(self, session: Session, _: Snapshot) -> str:
        from selfheal_tui.engine.out.export.forms import decision_line
        from selfheal_tui.engine.out.tell import tell_decisions

        lines = [decision_line(one, os.environ, str(Path.home())) async for one in tell_decisions(session)]
        if not lines:
            self.notify("Nothing has been decided yet.", markup=False)
        return "".join(lines)


def _free(folder: Path, session_id: str, form: str) -> Path:
    """Return a name that is not taken: a report is never written over another."""
    names = (f"{session_id}{'' if n == 1 else f'-{n}'}.{form}" for n in range(1, 1000))
    return next(path for name in names if not (path := folder / name).exists())
