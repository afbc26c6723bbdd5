"""Work beside a screen ends before the screen's widgets go."""

from __future__ import annotations

from textual import on
from textual.messages import Prune
from textual.screen import Screen, ScreenResultType


class WorkingScreen(Screen[ScreenResultType]):
    """A screen whose workers draw on it.

    Textual removes the widgets of a screen first and cancels its workers then: one that comes back in between finds
    nothing to draw on.
    """

    @on(Prune)
    def _end_work(self) -> None:
        self.workers.cancel_node(self)
