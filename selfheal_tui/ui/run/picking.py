"""The list below the card: opened for a question, and away again when something was taken or it was left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ..kit.picker import Question
from ..view import model_rows
from ..view.picks import Pick
from .port import RunPort


class Picking:
    """Opens the picker of the side, and brings the rows that have to be asked for."""

    def __init__(self, port: RunPort) -> None:
        self._port = port

    def ask(self, question: Question, rows: Sequence[Pick], text: str = "") -> None:
        """Open the list; it has the keyboard from now on."""
        side = self._port.side
        side.add_class("-picking")
        self._port.begin_asking()
        side.picker.ask(question, rows, text)  # first: a timeline that is put away hands on the focus that it has
        if question.asked is None or side.screen.has_class("-narrow"):
            self._port.show_timeline(False)  # there is no room for both in a small terminal; a search walks in it

    def ask_models(self, question: Question, before: Sequence[Pick] = (), value: str = "{}", text: str = "{}") -> None:
        """Open the list with these rows and below them the models.

        `value` is what taking a model hands on, and `text` how its row calls it.
        """
        self.ask(question, before)
        self._port.start_work("models", partial(self._find_models, before, value, text))

    async def _find_models(self, before: Sequence[Pick], value: str, text: str) -> None:
        picker = self._port.side.picker
        async for rows, note in model_rows.models(self._port.app.settings):
            named = [replace(row, value=value.format(row.value), text=text.format(row.text)) for row in rows]
            picker.show([*before, *named], note)

    def close(self) -> None:
        """Put the list away: nothing is taken, or the answer goes on in a line."""
        self._port.side.picker.close()

    def closed(self, *, left: bool) -> None:
        """Show the card's keys again; what is still asked for is not wanted any more."""
        self._port.stop_work("models")
        self._port.side.remove_class("-picking")
        if self._port.app.focused is None:
            self._port.evidence.tabs.focus_view()
        self._port.end_asking(left=left)
