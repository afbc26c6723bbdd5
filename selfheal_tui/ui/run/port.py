"""What a part of the run screen may use of the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from typing import TYPE_CHECKING, Protocol

from textual.notifications import SeverityLevel
from textual.worker import Worker

from selfheal_tui.engine.moment.events import Event

from ..kit.timeline_tree import TimelineTree
from ..view.model import RunModel
from .cards.side import Side
from .driver import Driver
from .status_bar import StatusBar
from .tabs.evidence import Evidence

if TYPE_CHECKING:
    from ..app import SelfHealApp


class RunPort(Protocol):
    """The run screen, as its parts see it."""

    @property
    def app(self) -> SelfHealApp: ...

    @property
    def model(self) -> RunModel:
        """What is on the screen."""
        ...

    @property
    def driver(self) -> Driver:
        """Holds the session, which is None until it is open."""
        ...

    @property
    def hidden(self) -> bool:
        """Whether the terminal is too small for anything but the word that it is."""
        ...

    @property
    def evidence(self) -> Evidence: ...

    @property
    def side(self) -> Side: ...

    @property
    def timeline(self) -> TimelineTree: ...

    @property
    def status(self) -> StatusBar: ...

    def show_timeline(self, wanted: bool) -> None:
        """Show the timeline where there is no room for it beside the evidence, or put it away."""
        ...

    def begin_asking(self) -> None:
        """Remember whether the line or the list that is opened now is asked for from the timeline."""
        ...

    def end_asking(self, *, left: bool) -> None:
        """Go back to the timeline where what was asked from there was left, nothing taken."""
        ...

    def show(self, model: RunModel) -> None:
        """Draw another model."""
        ...

    async def drive(self, events: AsyncIterator[Event]) -> None:
        """End the run that goes on, if any, and draw these events instead."""
        ...

    def start_work(
        self, group: str, task: Callable[[], Coroutine[None, None, None]], *, exclusive: bool = True
    ) -> Worker[None]:
        """Run a task beside the screen; an exclusive one cancels those of its group first."""
        ...

    def stop_work(self, group: str) -> bool:
        """Cancel the tasks of a group; tell whether one was still running."""
        ...

    def call_after_refresh(self, callback: Callable[[], None]) -> bool: ...

    def notify(self, message: str, *, severity: SeverityLevel = "information", markup: bool = True) -> None: ...
