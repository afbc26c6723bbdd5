"""Record a minute of the demo: `python docs/recording.py`, which `make pictures` runs too.

A real session of `selfheal demo` in the app at 100x30. What stands on the screen is taken at each scene and shown for
as long as the script says, so a slow machine makes no slow recording. Two files come of it: `minute.cast` (asciicast
v2, for asciinema) and `minute.svg` (the scenes one after the other, without any script; for pages).
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pictures import FOLDER, is_shown, plain_svg, until
from rich.console import Console
from textual.pilot import Pilot

from selfheal_tui.engine.session.workbench import RunOptions, Workbench
from selfheal_tui.engine.task.demos import load_demo
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.run.run import RunScreen

COLUMNS, ROWS = 100, 30
_STEP_S = 0.4
"""How long one picture of a run that works is shown."""
_MOST_STEPS = 10


@dataclass
class Film:
    """What was shown, and when."""

    now_s: float = 0.0
    shown: list[str] = field(default_factory=list)
    """The rows that stand on the screen, as a terminal draws them."""
    lines: list[str] = field(default_factory=list)
    """Of the cast."""
    scenes: list[tuple[str, float]] = field(default_factory=list)
    """Pictures of the strip, each with the seconds that it stands."""

    def take(self, app: SelfHealApp, for_s: float) -> None:
        """Show what the app shows now, for some seconds; of the rows only those that changed are drawn."""
        console = Console(width=COLUMNS, force_terminal=True, color_system="truecolor", legacy_windows=False)
        rows = [strip.render(console) for strip in app.screen._compositor.render_strips()]
        drawn = [f"\x1b[{n};1H{row}" for n, row in enumerate(rows, 1) if self.shown[n - 1 : n] != [row]]
        start = "\x1b[?25l\x1b[2J" if not self.shown else ""
        if drawn:
            self.lines.append(json.dumps([round(self.now_s, 2), "o", start + "".join(drawn)], ensure_ascii=False))
        self.shown = rows
        self.now_s += for_s

    def scene(self, app: SelfHealApp, name: str, for_s: float) -> None:
        """Take a scene of the strip too."""
        self.take(app, for_s)
        self.scenes.append((plain_svg(app, f"minute-{name}"), for_s))

    def cast(self) -> str:
        """Return the recording."""
        head = {
            "version": 2,
            "width": COLUMNS,
            "height": ROWS,
            "title": "selfheal demo",
            "env": {"TERM": "xterm-256color"},
        }
        end = json.dumps([round(self.now_s, 2), "o", "\x1b[0m\x1b[?25h\x1b[2J\x1b[1;1H"])
        return "\n".join([json.dumps(head), *self.lines, end]) + "\n"

    def strip(self) -> str:
        """Return the scenes as one picture that shows them in turn, over and over."""
        whole_s = sum(for_s for _, for_s in self.scenes)
        view = re.search(r'viewBox="([^"]+)"', self.scenes[0][0])
        assert view is not None
        rules, groups, at_s = [], [], 0.0
        for number, (svg, for_s) in enumerate(self.scenes):
            start, end = at_s / whole_s * 100, (at_s + for_s) / whole_s * 100
            rules.append(
                f"@keyframes scene{number} {{ 0% {{ visibility: {'visible' if number == 0 else 'hidden'} }} "
                f"{start:.3f}% {{ visibility: visible }} {end:.3f}% {{ visibility: hidden }} "
                f"100% {{ visibility: {'visible' if number == 0 and end >= 100 else 'hidden'} }} }} "
                f".scene{number} {{ visibility: {'visible' if number == 0 else 'hidden'}; "
                f"animation: scene{number} {whole_s:g}s step-end infinite }}"
            )
            inner = re.sub(r"^<svg[^>]*>|</svg>\s*$", "", svg.strip())
            groups.append(f'<g class="scene{number}">\n{inner}\n</g>')
            at_s += for_s
        head = f'<svg class="rich-terminal" viewBox="{view[1]}" xmlns="http://www.w3.org/2000/svg">'
        return "\n".join([head, "<style>", *rules, "</style>", *groups, "</svg>"]) + "\n"


async def record(folder: Path) -> None:
    """Run the demo and write both files."""
    with tempfile.TemporaryDirectory() as home:
        workbench = Workbench(Path(home) / "sessions")
        try:
            session_id = await workbench.create(load_demo("intervals"), RunOptions("review_repairs"))
            app = SelfHealApp(workbench, session_id=session_id)
            async with app.run_test(size=(COLUMNS, ROWS)) as pilot:
                film = await _play(pilot, app)
                await pilot.press("q")
        finally:
            await workbench.aclose()
    for name, text in (("minute.cast", film.cast()), ("minute.svg", film.strip())):
        (folder / name).write_text(text, "utf-8")
        print(folder / name)


async def _play(pilot: Pilot[str | None], app: SelfHealApp) -> Film:
    film = Film()
    await _work(pilot, app, film, lambda: _asks(app, "diagnosis"))
    film.scene(app, "diagnosis", 8)
    await pilot.press("a")
    await _work(pilot, app, film, lambda: _asks(app, "repair"))
    film.scene(app, "repair", 9)
    await pilot.press("a")
    await _work(pilot, app, film, lambda: _ended(app))
    film.scene(app, "healed", 7)
    await pilot.press("u")
    await _work(pilot, app, film, lambda: _asks(app, "repair"))
    film.scene(app, "undone", 7)
    await pilot.press("left_square_bracket")
    await pilot.pause(0.3)
    film.take(app, 2)
    await pilot.press("left_square_bracket")
    await pilot.pause(0.3)
    film.scene(app, "past", 6)
    await pilot.press("n")
    await pilot.pause(0.3)
    film.take(app, 3)
    await pilot.press("a")
    await _work(pilot, app, film, lambda: _ended(app))
    film.scene(app, "again", 5)
    return film


async def _work(pilot: Pilot[str | None], app: SelfHealApp, film: Film, done: Callable[[], bool]) -> None:
    """Let the app work until something holds; some pictures on the way."""
    steps = 0
    while not done():
        await pilot.pause(0.1)
        before = film.shown
        if steps < _MOST_STEPS and isinstance(app.screen, RunScreen):
            film.take(app, 0.0)
            if film.shown != before:
                film.now_s += _STEP_S
                steps += 1
    await until(pilot, lambda: is_shown(app))
    await pilot.pause(0.3)


def _asks(app: SelfHealApp, kind: str) -> bool:
    screen = app.screen
    return isinstance(screen, RunScreen) and getattr(screen.model.question, "kind", "") == kind and is_shown(app)


def _ended(app: SelfHealApp) -> bool:
    screen = app.screen
    return isinstance(screen, RunScreen) and bool(screen.model.outcome)


if __name__ == "__main__":
    asyncio.run(record(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
