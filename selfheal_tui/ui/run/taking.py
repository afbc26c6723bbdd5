"""What leaves the run screen: copies of what a tab shows, reports of the branch that is shown."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from selfheal_tui.errors import SelfHealError
from selfheal_tui.text import size_words
from selfheal_tui.whole_file import write_named

from .looking import SLOW_S
from .port import RunPort
from .tabs.copying import copy_of

if TYPE_CHECKING:
    from selfheal_tui.engine.history.saved_session import SavedSession
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.out.transfer.writing import Exported

_Result = TypeVar("_Result")

_ENDINGS = {"session": "selfheal", "prompts": "prompts.md"}
"""Format -> how the file's name ends, where that is not the format."""


class Taking:
    """Copies, and writes files into the current folder."""

    def __init__(self, port: RunPort, session_id: str) -> None:
        self._port, self._session_id = port, session_id

    def copy(self) -> None:
        """Copy what the tab in front shows."""
        if self._port.model.shown is not None:
            self._port.app.copy(*copy_of(self._port.evidence, self._port.model.shown))

    def copy_report(self) -> None:
        """Copy the report of the branch that is shown, in Markdown."""
        self._port.start_work("take", self._copy_report)

    async def _copy_report(self) -> None:
        if text := await self._from_session("report", partial(self._report, "md")):
            self._port.app.copy("the report", text)

    def export(self, form: str) -> None:
        """Write the branch that is shown, all decisions or the session into a new file of the current folder."""
        self._port.start_work("take", partial(self._export, form))

    async def _export(self, form: str) -> None:
        path = _unused_path(Path.cwd(), self._session_id, _ENDINGS.get(form, form))
        if form == "session":
            await self._export_session(path)
            return
        text = await self._from_session("report", self._decisions if form == "jsonl" else partial(self._report, form))
        if not text:
            return
        try:
            write_named(path, text.encode("utf-8", "surrogateescape"))
        except OSError as error:
            self._port.notify(f"{path} cannot be written: {error.strerror}.", severity="error", markup=False)
            return
        self._port.notify(f"Written: {path}, {size_words(path.stat().st_size)}", markup=False)

    async def _export_session(self, path: Path) -> None:
        from selfheal_tui.engine.out.transfer.writing import write_session_file

        async def write(session: SavedSession, _: Snapshot) -> Exported:
            folder = self._port.app.workbench.store.folder(session.id)
            environment, home = dict(os.environ), str(Path.home())
            writing = asyncio.ensure_future(asyncio.to_thread(write_session_file, folder, path, environment, home))
            try:
                return await asyncio.shield(writing)
            except asyncio.CancelledError:
                # A thread cannot be stopped: what it still writes goes.
                writing.add_done_callback(lambda _: path.unlink(missing_ok=True))
                raise

        if done := await self._from_session("file", write):
            left_out = f" Without keys and your home folder: {', '.join(done.redacted)}." if done.redacted else ""
            words = f"Written: {path}, {size_words(path.stat().st_size)}; open it with: selfheal resume {path.name}."
            self._port.notify(f"{words}{left_out}", markup=False)

    def stop(self) -> bool:
        """Give up a report that is still being made; tell whether there was one."""
        stopped = self._port.stop_work("take")
        if stopped:
            self._port.notify("Stopped; nothing was written.", markup=False)
        return stopped

    async def _from_session(
        self, product: str, take: Callable[[SavedSession, Snapshot], Awaitable[_Result]]
    ) -> _Result | None:
        """Return what `take` makes of the session, and say when it takes long; None when the user was told why not."""
        session, snapshot = self._port.driver.saved, self._port.model.shown
        if session is None or snapshot is None:
            self._port.notify("There is nothing to tell of yet.", markup=False)
            return None
        status = self._port.status
        slow = status.set_timer(SLOW_S, lambda: status.note(f"… the {product} is being made  esc stops"))
        try:
            return await take(session, snapshot)
        except SelfHealError as error:
            self._port.notify(str(error), severity="error", markup=False)
            return None
        finally:
            slow.stop()
            status.note("")

    async def _report(self, form: str, session: SavedSession, snapshot: Snapshot) -> str:
        from selfheal_tui.engine.out.export.forms import exported
        from selfheal_tui.engine.out.tell import tell_story

        story = await tell_story(session, snapshot.branch)
        root = await session.root()
        text = await asyncio.to_thread(exported, story, form, dict(os.environ), str(Path.home()), root)
        if not text:
            self._port.notify("There is no change to export yet.", markup=False)
        return text

    async def _decisions(self, session: SavedSession, _: Snapshot) -> str:
        from selfheal_tui.engine.out.export.forms import decision_line
        from selfheal_tui.engine.out.tell import tell_decisions

        lines = [decision_line(one, os.environ, str(Path.home())) async for one in tell_decisions(session)]
        if not lines:
            self._port.notify("Nothing has been decided yet.", markup=False)
        return "".join(lines)


def _unused_path(folder: Path, session_id: str, form: str) -> Path:
    """Return a path that does not exist: a report is never written over another."""
    names = (f"{session_id}{'' if n == 1 else f'-{n}'}.{form}" for n in range(1, 1000))
    return next(path for name in names if not (path := folder / name).exists())
