"""NO_COLOR: no colour at all, and what a colour said is still said; reduced motion: nothing moves by itself."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from textual.widgets import Input

from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.motion import STILL
from tests.ui.fakes import FakeWorkbench, settle
from tests.ui.running import running
from tests.ui.test_sessions_screen import ROWS

_SGR = re.compile(r"\x1b\[([0-9;]*)m")
_COLOUR = re.compile(r"(?:^|;)(?:3\d|4\d|9\d|10\d)(?:;|$)")
"""SGR 30 to 49 and 90 to 107 (ECMA-48, and xterm's ctlseqs)."""


def painted(app: SelfHealApp) -> list[str]:
    """Return the lines as the terminal gets them."""
    return [strip.render(app.console) for strip in app.screen._compositor.render_strips()]


def colours(lines: list[str]) -> list[str]:
    return [code for line in lines for code in _SGR.findall(line) if _COLOUR.search(code)]


async def test_no_color_leaves_no_colour_and_reverses_the_row_under_the_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = SelfHealApp(FakeWorkbench(rows=list(ROWS)))  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        lines = painted(app)
        assert colours(lines) == []
        (row,) = [line for line in lines if "◆ waits: repair" in line]
        assert "\x1b[1;7m" in row, "the cursor"
        await pilot.press("comma")
        await settle(pilot)
        assert colours(painted(app)) == []


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "selfheal-contrast"])
async def test_without_colour_a_run_says_as_much_in_each_theme(monkeypatch: pytest.MonkeyPatch, theme: str) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with running() as run:
        run.app.use_theme(theme)
        await run.settle()
        await run.press("a")
        lines = painted(run.app)
        assert colours(lines) == []
        words = _SGR.sub("", "\n".join(lines))
        assert "▶ 1 line 8" in words and "✓ every test passes" in words and "- " in words and "+ " in words
        (removed,) = [line for line in lines if " -     return a[0] <= b[1] and" in _SGR.sub("", line)]
        assert re.search(r"\x1b\[1(;7)?m=", removed), "what differs within the line is bold"


async def test_an_empty_no_color_asks_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "")
    async with running() as run:
        assert colours(painted(run.app)) != []


async def test_with_reduced_motion_no_cursor_blinks_and_nothing_is_animated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textual.constants.TEXTUAL_ANIMATIONS", "full")
    async with running() as run:
        await run.press("r")
        field = run.screen.query_one(Input)
        field.cursor_blink = True  # in tests no cursor does
        assert field.has_focus and run.app.animation_level == "full"
        await run.press("escape")
        run.app.change_setting("reduced_motion", True)
        assert run.app.animation_level == "none" and run.app.has_class(STILL)
        await run.press("r")
        assert field.has_focus and not field.cursor_blink
        run.app.change_setting("reduced_motion", False)
        assert run.app.animation_level == "full"


async def test_textual_animations_hold_where_the_setting_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textual.constants.TEXTUAL_ANIMATIONS", "none")
    async with running() as run:
        assert run.app.animation_level == "none"
        run.app.settings = replace(run.app.settings, reduced_motion=False)
        run.app._apply_settings()
        assert run.app.animation_level == "none"
