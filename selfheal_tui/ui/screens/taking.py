"""What leaves the run screen: copies of what a tab shows, reports of the branch that is shown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work

from selfheal_tui.errors import SelfHealError
from selfheal_tui.text import size_words

from ..copying import copy_of
from ..widgets.evidence import Evidence
from .answering import Answering

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

    @work(group="take")
    async def action_copy_report(self) -> None:
        """Copy the report of the branch that is shown, in Markdown."""
        text = await self._exported("md")
        if text:
            self.app.copy("the report", text)

    @work(group="take")
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

    async def _exported(self, form: str) -> str:
        """Return the report without keys; empty when there is none, which was said then."""
        session, shown = self.driver.session, self.model.shown
        if session is None or shown is None:
            self.notify("There is nothing to tell of yet.", markup=False)
            return ""
        from selfheal_tui.engine.export.forms import exported
        from selfheal_tui.engine.look import tell_story

        try:
            story = await tell_story(session, shown.branch)
            text = exported(story, form, os.environ, str(Path.home()))
        except SelfHealError as error:
            self.notify(str(error), severity="error", markup=False)
            return ""
        if not text:
            self.notify("There is no change to export yet.", markup=False)
        return text


def _free(folder: Path, session_id: str, form: str) -> Path:
    """Return a name that is not taken: a report is never written over another."""
    names = (f"{session_id}{'' if n == 1 else f'-{n}'}.{form}" for n in range(1, 1000))
    return next(path for name in names if not (path := folder / name).exists())
