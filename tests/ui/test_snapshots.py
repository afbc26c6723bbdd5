"""How the screens look at three sizes; a change of look is looked at, then accepted with --snapshot-update."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from selfheal_tui.ui.app import SelfHealApp
from tests.ui.fakes import FakeWorkbench, settle

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
