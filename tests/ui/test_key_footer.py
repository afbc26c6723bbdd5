"""The footer names whole keys only: help and quit always, the most useful of the others first."""

from __future__ import annotations

import pytest

from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.key_footer import KeyFooter
from tests.ui.fakes import FakeWorkbench, settle

WIDTHS = (60, 70, 80, 100, 120, 140, 200)


@pytest.mark.parametrize("keys", [(), ("a",), ("a", "e"), ("a", "t"), ("a", "a"), ("left_square_bracket",)])
async def test_no_key_is_cut(keys: tuple[str, ...]) -> None:
    app = SelfHealApp(FakeWorkbench(), session_id="s1")  # type: ignore[arg-type]
    async with app.run_test(size=(WIDTHS[0], 30)) as pilot:
        await settle(pilot)
        await pilot.press(*keys)
        await settle(pilot)
        footer = app.screen.query_one(KeyFooter)
        for width in WIDTHS:
            await pilot.resize_terminal(width, 30)
            await settle(pilot)
            assert footer.keys and footer.render().cell_length <= footer.size.width == width


async def test_room_names_more_keys_and_their_text_areas_keep_theirs() -> None:
    app = SelfHealApp(FakeWorkbench(), session_id="s1")  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:

        def named() -> list[str]:
            return [key.word for key in app.screen.query_one(KeyFooter).keys]

        await settle(pilot)
        assert named()[-2:] == ["Help", "Quit"] and "Branches" not in named()
        await pilot.resize_terminal(200, 60)
        await settle(pilot)
        assert {"Compare", "Branches", "Race", "Copy", "Sessions", "Settings", "Help", "Quit"} < set(named())
        await pilot.press("t")
        await settle(pilot)
        assert "Copy" not in named() and "Redo" not in named()
