"""The question on the screen: when it is another one, and from when on its answer keys count."""

from __future__ import annotations

from functools import partial

from textual.message import Message
from textual.widget import Widget

from selfheal_tui.text import one_line

from ..kit.arming import Arming
from ..view.model import Review
from .answering import Answering
from .choices import Choices
from .editing import Editing
from .offers import Offers
from .port import RunPort
from .running import Running
from .trying import Trying

_LONG_S = 3.0
"""A run that took longer rings the bell when it asks, even in the window in front."""


class Questions:
    """Arms the answer keys once the card of a question has been painted in a terminal that has room for it."""

    def __init__(
        self,
        port: RunPort,
        arming: Arming,
        *,
        answering: Answering,
        editing: Editing,
        choices: Choices,
        trying: Trying,
        offers: Offers,
        running: Running,
    ) -> None:
        self._port, self._arming = port, arming
        self._answering, self._editing, self._offers, self._running = answering, editing, offers, running
        self._unsent = editing.drafts, choices, trying
        self._question: Review | None = None
        self._focus_before: Widget | None = None
        """What had the focus when the terminal became too small."""

    def follow(self, question: Review | None) -> None:
        """Start anew when the question is another one than before."""
        if question != self._question:
            self._question = question
            self._answering.pick = ""
            self._arming.disarm()
            self._editing.close("code")
            for part in self._unsent:
                part.forget()
            self._arm_after_refresh()

    def arm_new_card(self) -> None:
        """Arm the first question of a card, which was mounted for it."""
        if self._question is not None:
            self._arm(self._question)

    def hide(self, focus: Widget | None) -> None:
        """Disarm: the terminal has become too small for the question, or for what is written."""
        self._arming.disarm()
        self._focus_before = self._focus_before or focus

    def come_back(self) -> None:
        """Arm again what was out of sight."""
        if not self._arming.armed:
            self._arm_after_refresh()

    def _arm_after_refresh(self) -> None:
        question = self._question
        if question is not None:
            self._port.call_after_refresh(lambda: self._arm(question))

    def _arm(self, question: Review) -> None:
        card, tabs = self._port.side.card, self._port.evidence.tabs
        if self._question != question or self._port.hidden or (card is not None and not card.painted):
            return
        focus, self._focus_before = self._focus_before, None
        if tabs.is_open("try") or self._offers.writing:
            # What is typed there must not end up answering the question.
            if focus is not None:
                focus.focus()
        elif card is not None and question.again:
            tabs.bring(card.TAB)
        elif card is not None:
            tabs.activate(card.TAB)
        now, app = Message().time, self._port.app
        if app.settings.bell and (not app.app_focus or now - self._running.began_at > _LONG_S):
            app.bell()
        if not app.app_focus:
            title = one_line(self._running.title, 60)
            self._port.start_work("notify", partial(app.notify_desktop, f"{title}: {question.kind} waits for you"))
        self._arming.arm(now)
