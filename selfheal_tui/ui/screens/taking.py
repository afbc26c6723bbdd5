"""What leaves the run screen: copies of what a tab shows, reports of the branch that is shown."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work

from selfheal_tui.errors import SelfHealError
from selfheal_tui.text import size_words

from ..copying import copy_of
from ..widgets.evidence import Evidence
from ..widgets.status_bar import StatusBar
from .answering import Answering
from .looking import SLOW_S

if TYPE_CHECKING:
    from ..app import SelfHealApp


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
        text = await self._exported("md")
        if text:
            self.app.copy("the report", text)

    @work(group="take", exclusive=True)
    async def action_export(self, form: str) -> None:
        """Write the branch that is shown into a new file of the current folder."""
        text = await self._exported(form)
        if not text:
            return
        path = _free(Path.cwd(), self.session_id, form)
        try:
            with path.open("x", encoding="utf-8", newline="") as file:
                file.write(text)
        except OSError as error:
            self.notify(f"{path} cannot be written: {error.strerror}.", severity="error", markup=False)
            return
        self.notify(f"Written: {path}, {size_words(len(text.encode()))}", markup=False)

    def stop_waiting(self) -> bool:
        """Give up a report that is still being made."""
        if all(worker.is_finished for worker in self.workers if worker.group == "take"):
            return False
        self.workers.cancel_group(self, "take")
        self.notify("Stopped; nothing was written.", markup=False)
        return True

    async def _exported(self, form: str) -> str:
        """Return the report without keys; empty when there is none, which was said then."""
        session, shown = self.driver.session, self.model.shown
        if session is None or shown is None:
            self.notify("There is nothing to tell of yet.", markup=False)
            return ""
        from selfheal_tui.engine.export.forms import exported
        from selfheal_tui.engine.look import tell_story

        status = self.query_one(StatusBar)
        slow = self.set_timer(SLOW_S, lambda: status.note("… the report is being made  esc stops"))
        try:
            story = await tell_story(session, shown.branch)
            text = await asyncio.to_thread(exported, story, form, dict(os.environ), str(Path.home()))
        except SelfHealError as error:
            self.notify(str(error), severity="error", markup=False)
            return ""
        finally:
            slow.stop()
            status.note("")
        if not text:
            self.notify("There is no change to export yet.", markup=False)
        return text


def _free(folder: Path, session_id: str, form: str) -> Path:
    """Return a name that is not taken: a report is never written over another."""
    names = (f"{session_id}{'' if n == 1 else f'-{n}'}.{form}" for n in range(1, 1000))
    return next(path for name in names if not (path := folder / name).exists())
