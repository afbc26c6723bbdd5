"""What the app's tests share."""

from __future__ import annotations

import pytest

from selfheal_tui.ui.arming import Arming


@pytest.fixture(autouse=True)
def _no_quiet_period(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests press keys at once; the quiet period has a test of its own."""
    monkeypatch.setattr(Arming, "QUIET", 0.0)
