"""How the screens look at three sizes; a change of look is looked at, then accepted with --snapshot-update."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from selfheal_tui.llm.base import Usage
from selfheal_tui.store.call_uses import UsedCall
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.screens.run import RunScreen
from tests.ui.fakes import DIAGNOSIS, FakeSession, FakeWorkbench, settle

SIZES = [(80, 24), (140, 45), (200, 60)]
MOMENTS = {
    "diagnosis": (),
    "repair": ("a",),
    "past": ("a", "left_square_bracket", "left_square_bracket"),
    "healed": ("a", "a"),
    "matrix": ("a", "a", "v", "v"),
    "lessons": ("a", "a", "v", "v", "v", "v"),
    "compare": ("a", "a", "C"),
}
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
)


@pytest.fixture(autouse=True)
def slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the word that an answer can be taken back for as long as the keys take."""
    monkeypatch.setattr(RunScreen, "GRACE_S", 3_600.0)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "140x45", "200x60"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_run_screen(snap_compare: Callable[..., bool], moment: str, size: tuple[int, int]) -> None:
    async def play(pilot: Pilot[str | None]) -> None:
        await settle(pilot)
        for key in MOMENTS[moment]:
            await pilot.press(key)
            await settle(pilot)

    app = SelfHealApp(FakeWorkbench(), session_id="s1")  # type: ignore[arg-type]
    assert snap_compare(app, terminal_size=size, run_before=play)


@pytest.mark.parametrize("size", SIZES[:2], ids=["80x24", "140x45"])
@pytest.mark.parametrize(("tab", "steps"), [("calls", 5), ("transcript", 6)])
def test_a_later_tab(snap_compare: Callable[..., bool], tab: str, steps: int, size: tuple[int, int]) -> None:
    async def play(pilot: Pilot[str | None]) -> None:
        await settle(pilot)
        for key in ("a", "a", *"v" * steps):
            await pilot.press(key)
            await settle(pilot)

    session = FakeSession("s1")
    session.calls = {"c2": [CALL], "c4": [replace(CALL, role="repairer", replayed=True, usage=Usage(900, 40))]}
    app = SelfHealApp(FakeWorkbench(session), session_id="s1")  # type: ignore[arg-type]
    assert snap_compare(app, terminal_size=size, run_before=play)
