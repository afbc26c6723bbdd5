"""What the app's tests share."""

from __future__ import annotations

import pytest
from textual import constants
from textual.widgets import Input, TextArea

from selfheal_tui.ui.kit.arming import Arming
from selfheal_tui.ui.run.branching import Branching
from selfheal_tui.ui.run.hunks import Hunks
from selfheal_tui.ui.run.tabs.edit_pane import EditPane


@pytest.fixture(autouse=True)
def _no_quiet_period(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests press keys at once, and take their time: the quiet period has a test of its own."""
    monkeypatch.setattr(Arming, "QUIET", 0.0)
    monkeypatch.setattr(EditPane, "PAUSE_S", 0.001)
    monkeypatch.setattr(Hunks, "PAUSE_S", 0.0)
    monkeypatch.setattr(Branching, "GRACE_S", 3600.0)


@pytest.fixture(autouse=True)
def _at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing moves by itself: a scroll is where it goes at once, and a cursor does not blink."""
    monkeypatch.setattr(constants, "TEXTUAL_ANIMATIONS", "none")
    for line in (Input, TextArea):
        monkeypatch.setattr(line.cursor_blink, "_default", False)
