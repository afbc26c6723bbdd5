"""Colours that can be read: every pair of text and ground that a screen really draws, after WCAG 2.2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from selfheal_tui.settings import default_settings
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.readable import AA, contrast, is_text
from tests.ui.fakes import FakeSession, FakeWorkbench, row, settle

CURSOR = 3.0
"""Least contrast of a cursor's row in a theme that is not ours; of one theme Textual's own pair reaches 2.4 only."""
ROWS = [row("s1", "waiting", waiting_for="repair"), row("s2", "failed"), row("s3", "healed"), row("s4", "stopped")]
RUN = {
    "diagnosis": (),
    "form": ("e",),
    "repair": ("a",),
    "refused": ("F", *"one", "enter"),
    "tests": ("v", "v"),
    "matrix": ("v", "v", "v"),
    "calls": ("a", "v", "v", "v", "v", "v"),
    "editor": ("a", "e"),
    "try": ("a", "t", *"1 + 1", "enter"),
    "past": ("a", "a", "left_square_bracket"),
    "timeline": ("a", "T", "up"),
    "healed": ("a", "a"),
    "help": ("question_mark",),
    "palette": ("ctrl+p",),
    "compare": ("a", "a", "C"),
    "settings": ("comma", "down", "enter"),
}
AROUND = {"sessions": ("down",), "demos": ("d", "down"), "new": ("n", "tab", "tab", "tab", "tab", "down", "down")}


def drawn(app: App[Any]) -> Iterator[tuple[str, Color, Color]]:
    """Yield each piece of text with its colour and the ground below it."""
    for strip in app.screen._compositor.render_strips(app.size):
        for text, style, _ in strip:
            if style is not None and style.color is not None and style.bgcolor is not None and is_text(text):
                yield text, Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)


def too_faint(app: App[Any], least: float = AA) -> list[str]:
    return [
        f"{text.strip()[:40]!r}: {one.hex} on {other.hex} is {contrast(one, other):.2f}"
        for text, one, other in drawn(app)
        if contrast(one, other) < least
    ]


def app_in(theme: str, session_id: str | None = None) -> SelfHealApp:
    settings = replace(default_settings({}), theme=theme)
    workbench = FakeWorkbench(FakeSession("s1"), rows=list(ROWS))
    return SelfHealApp(workbench, session_id=session_id, settings=settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("screen", [*RUN, *AROUND])
async def test_each_screen_of_the_contrast_theme_can_be_read(screen: str) -> None:
    app = app_in("selfheal-contrast", "s1" if screen in RUN else None)
    async with app.run_test(size=(140, 45)) as pilot:
        await settle(pilot)
        for key in RUN.get(screen, ()) or AROUND.get(screen, ()):
            await pilot.press(key)
            await settle(pilot)
        assert len(list(drawn(app))) > 20
        assert too_faint(app) == []


@pytest.mark.parametrize("theme", sorted(name for name in BUILTIN_THEMES if not name.startswith("ansi")))
async def test_the_row_under_the_cursor_of_the_chooser_can_be_read_in_every_theme(theme: str) -> None:
    app = app_in(theme)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("d", "down")
        await settle(pilot)
        cursor = app.theme_variables["block-cursor-background"]
        ground = Color.parse(cursor)
        row_pairs = [(text, contrast(one, other)) for text, one, other in drawn(app) if other.hex == ground.hex]
        name = app.theme_variables["block-cursor-foreground"]
        front = ground.get_contrast_text(0.87) if "auto" in name else Color.parse(name)
        own = contrast(ground + front, ground)
        assert row_pairs and [pair for pair in row_pairs if pair[1] < min(CURSOR, own - 0.01)] == []


def test_what_is_faint_is_moved_no_further_than_needed() -> None:
    from selfheal_tui.ui.kit.readable import _readable

    black, yellow = Color(0, 0, 0), Color(240, 228, 66)
    for style in (Style.parse("#606060 on #000000"), Style.parse("#ffffff on #f0e442"), Style.parse("#f0e442")):
        better = _readable(style, black)
        ground = Color.from_rich_color(better.bgcolor) if better.bgcolor is not None else black
        assert better.color is not None and contrast(Color.from_rich_color(better.color), ground) >= AA
    assert _readable(Style.parse("#f0e442 on #000000"), yellow) == Style.parse("#f0e442 on #000000")
    turned = _readable(Style.parse("reverse #f0e442 on #ffffff"), black)
    assert turned.bgcolor is not None and contrast(Color.from_rich_color(turned.bgcolor), yellow) >= AA
