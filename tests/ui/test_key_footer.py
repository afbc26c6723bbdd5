"""The footer names whole keys only: help and quit always, the most useful of the others first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from textual.screen import Screen

from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.key_footer import KeyFooter
from selfheal_tui.ui.run.run import RunScreen
from selfheal_tui.ui.screens.new_run import NewRunScreen
from selfheal_tui.ui.screens.sessions import SessionsScreen
from selfheal_tui.ui.screens.settings import SettingsScreen
from tests.ui.fakes import FakeSession, FakeWorkbench, settle

WIDTHS = (60, 80, 100, 140)


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


@pytest.mark.parametrize("make", [SessionsScreen, SettingsScreen, NewRunScreen, partial(RunScreen, "s1")])
async def test_a_screen_is_asked_for_its_keys_before_it_has_any_widget(make: Callable[[], Screen[Any]]) -> None:
    app = SelfHealApp(FakeWorkbench(FakeSession("s1")))  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        below, pushed = app.screen, make()
        app.push_screen(pushed)
        assert not pushed.is_mounted and app.screen is pushed
        for action in {binding.action for screen in (below, pushed) for _, binding in screen._bindings}:
            assert pushed.check_action(action.removeprefix("screen.").partition("(")[0], ()) in (True, False, None)
        assert below.active_bindings, "the footer below asks when it is drawn, and `screen.` is the new one already"
        await settle(pilot)
        assert pushed.is_mounted
