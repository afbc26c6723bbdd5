"""How the screens of a run look at three sizes; a change of look is looked at, then accepted with --snapshot-update."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from selfheal_tui.llm.base import Usage
from selfheal_tui.settings import Settings, default_settings
from selfheal_tui.store.call_uses import UsedCall
from selfheal_tui.store.sent import SentFile, SentRequest
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.run.branching import Branching
from selfheal_tui.ui.run.tabs.edit_pane import EditPane
from tests.ui.fakes import DIAGNOSIS, FakeSession, FakeWorkbench, settle

SIZES = {"80x24": (80, 24), "140x45": (140, 45), "200x60": (200, 60)}
MOMENTS: dict[str, tuple[str, ...]] = {
    "diagnosis": (),
    "diagnosis-form": ("e",),
    "repair": ("a",),
    "editor": ("a", "e"),
    "try": ("a", "t", *"merge([])", "enter"),
    "fork": ("f",),
    "race": ("F", "space", "down", "space"),
    "models": ("m",),
    "search": ("a", "slash", *"<="),
    "folded": ("a", "a", "T", "shift+left"),
    "past": ("a", "left_square_bracket", "left_square_bracket"),
    "healed": ("a", "a"),
    "matrix": ("a", "a", "v", "v"),
    "calls": ("a", "a", "v", "v", "v", "v", "v"),
    "lessons": ("a", "a", "v", "v", "v", "v"),
    "transcript": ("a", "a", "v", "v", "v", "v", "v", "v"),
    "timeline": ("a", "a", "T"),
    "compare": ("a", "a", "C"),
    "branches": ("a", "a", "B"),
    "palette": ("ctrl+p", *"bran"),
    "help": ("question_mark",),
}
WIDE = ("diagnosis", "repair", "healed", "editor", "compare", "timeline", "race")
"""Moments that are looked at on larger screens too; what is beside them there is the same for all."""
CONTRAST = ("diagnosis", "repair", "past", "matrix")
CALL = UsedCall(
    role="debugger",
    model="ollama:qwen3",
    prompt="You explain why tests fail.\n\nThe program:\n   8     return a[0] <= b[1] and b[0] <= a[1]\n",
    reply=DIAGNOSIS,
    usage=Usage(1_204, 211, 0.0123),
    time_s=2.3,
    at="2026-01-01T00:00:00Z",
    replayed=False,
    degraded="",
    written_by="debugger v3 0f1e2d3c4b5a",
    number=0,
)
SENT = SentRequest(
    at="2026-01-01T00:00:00Z",
    asked_at="c2",
    branch="main",
    number=0,
    role="debugger",
    model="ollama:qwen3",
    address="http://127.0.0.1:11434",
    size_bytes=5_310,
    files=(SentFile(path="spans.py", whole=True), SentFile(path="test_spans.py", whole=False)),
    outcome="answered",
)


@pytest.fixture(autouse=True)
def slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what ends by the clock for as long as the keys take: the word of an undo, the wait before live tests."""
    monkeypatch.setattr(Branching, "GRACE_S", 3_600.0)
    monkeypatch.setattr(EditPane, "PAUSE_S", 3_600.0)


def playing(keys: tuple[str, ...]) -> Callable[[Pilot[Any]], Any]:
    async def play(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)

    return play


def run_app(settings: Settings | None = None) -> SelfHealApp:
    session = FakeSession("s1")
    session.requests = [SENT]
    session.calls = {"c2": [CALL], "c4": [replace(CALL, role="repairer", replayed=True, usage=Usage(900, 40))]}
    return SelfHealApp(FakeWorkbench(session), session_id="s1", settings=settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(("moment", "size"), [(m, s) for m in MOMENTS for s in SIZES if s == "80x24" or m in WIDE])
def test_run_screen(snap_compare: Callable[..., bool], moment: str, size: str) -> None:
    assert snap_compare(run_app(), terminal_size=SIZES[size], run_before=playing(MOMENTS[moment]))


@pytest.mark.parametrize("moment", CONTRAST)
def test_high_contrast(snap_compare: Callable[..., bool], moment: str) -> None:
    app = run_app(replace(default_settings({}), theme="selfheal-contrast"))
    assert snap_compare(app, terminal_size=(80, 24), run_before=playing(MOMENTS[moment]))
