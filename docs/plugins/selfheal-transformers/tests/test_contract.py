"""The promises that selfheal asks of every provider, with a stand-in for the model."""

from __future__ import annotations

import pytest
from rig import opened_with

from selfheal_tui.plugins.providers import Provider
from selfheal_tui.plugins.testing import *  # noqa: F403 - collects the tests of this package's plug-ins

REPLY = '{\n "cause": "naïve ✓ 😀 {}\\n\\u0041",\n "lines": [3, 14]\n}'


def open_stand_in() -> Provider:
    """Open it; the patches stay for this test, which the fixture below ends."""
    return opened_with(_patch, {"reply": REPLY}).provider


OPENS = {"transformers": open_stand_in}
_patch = pytest.MonkeyPatch()


@pytest.fixture(autouse=True)
def _unpatched() -> object:
    yield
    _patch.undo()
