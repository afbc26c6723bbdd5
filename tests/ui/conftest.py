"""What the app's tests share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from textual import constants
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from selfheal_tui.llm.auto import BY_KEY
from selfheal_tui.settings import Settings
from selfheal_tui.ui.kit.arming import Arming
from selfheal_tui.ui.run.branching import Branching
from selfheal_tui.ui.run.cards.diagnosis_form import DiagnosisForm
from selfheal_tui.ui.run.hunks import Hunks
from selfheal_tui.ui.run.joining import Joining
from selfheal_tui.ui.run.looking import Looking
from selfheal_tui.ui.run.searching import Searching
from selfheal_tui.ui.run.tabs.edit_pane import EditPane
from selfheal_tui.ui.view import model_rows
from selfheal_tui.ui.view.picks import Pick


@pytest.fixture(autouse=True)
def _no_quiet_period(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests press keys at once, and take their time: the quiet period has a test of its own."""
    monkeypatch.setattr(Arming, "QUIET", 0.0)
    monkeypatch.setattr(Arming, "LINE", 0.0)
    monkeypatch.setattr(EditPane, "PAUSE_S", 0.001)
    monkeypatch.setattr(DiagnosisForm, "PAUSE_S", 0.001)
    monkeypatch.setattr(Hunks, "PAUSE_S", 0.0)
    monkeypatch.setattr(Joining, "PAUSE_S", 0.0)
    monkeypatch.setattr(Looking, "PAUSE_S", 0.0)
    monkeypatch.setattr(Searching, "PAUSE_S", 0.0)


@pytest.fixture(autouse=True)
def _no_provider_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """No provider answers, and no key of whoever runs the tests is seen."""

    async def nobody(settings: Settings) -> tuple[list[Pick], str]:
        return [], "No Ollama answers here."

    async def all_there(models: Iterable[str]) -> None:
        return

    monkeypatch.setattr(model_rows, "listed_rows", nobody)
    monkeypatch.setattr(model_rows, "check_answering", all_there)
    for key in BY_KEY:
        monkeypatch.delenv(key, raising=False)


@pytest.fixture(autouse=True)
def _long_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """The word of an undo stands as long as a test takes."""
    monkeypatch.setattr(Branching, "GRACE_S", 3600.0)


@pytest.fixture(autouse=True)
def _at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing moves by itself: a scroll is where it goes at once, and a cursor does not blink."""
    monkeypatch.setattr(constants, "TEXTUAL_ANIMATIONS", "none")
    for line in (Input, TextArea):
        monkeypatch.setattr(line.cursor_blink, "_default", False)


@pytest.fixture(autouse=True)
def _drawn_at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw where a test waits for the idle app; frames before it, which nobody sees, took a quarter of the time."""
    update, pause = Compositor.render_update, Pilot.pause

    def on_demand(self: Compositor, full: bool = False, *more: Any, **named: Any) -> Any:
        return update(self, full, *more, **named) if full else None

    async def drawn(self: Pilot[Any], delay: float | None = None) -> None:
        await pause(self, delay)
        if delay is None:
            visible_screen_stack.set(self.app._background_screens)
            self.app.screen._compositor.render_partial_update()

    monkeypatch.setattr(Compositor, "render_update", on_demand)
    monkeypatch.setattr(Pilot, "pause", drawn)
