"""Draw the pictures of the README from real runs of the demos: `python docs/pictures.py`, or `make pictures`.

Each is what the app shows at that moment, at a fixed size, as SVG that names no other host and no font to load.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from selfheal_tui.engine.session.workbench import RunOptions, Workbench
from selfheal_tui.engine.task.demos import load_demo
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.run.run import RunScreen

FOLDER = Path(__file__).parent / "pictures"
PATIENCE_S = 300.0
WIDE, NARROW = (140, 38), (80, 24)


async def main(folder: Path) -> None:
    """Heal a demo by its keys, closing and reopening it on the way, and draw the questions and the end."""
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        workbench = Workbench(Path(home))
        try:
            session_id = await workbench.create(load_demo("intervals"), RunOptions())
            async with _opened(workbench, session_id, WIDE) as (screen, pilot):
                await _until(pilot, lambda: _asked(screen) == "diagnosis")
                await _draw(pilot, folder, "diagnosis")
                await _approve(pilot, screen, "diagnosis")
                await _until(pilot, lambda: _asked(screen) == "repair")
                await _draw(pilot, folder, "repair")
            async with _opened(workbench, session_id, NARROW) as (screen, pilot):
                await _until(pilot, lambda: _asked(screen) == "repair")
                await _draw(pilot, folder, "repair-narrow")
                await _approve(pilot, screen, "repair")
                await _until(pilot, lambda: screen.model.outcome == "healed")
            async with _opened(workbench, session_id, WIDE) as (screen, pilot):
                await _until(pilot, lambda: screen.model.outcome == "healed")
                await _draw(pilot, folder, "healed")
        finally:
            await workbench.aclose()


@asynccontextmanager
async def _opened(
    workbench: Workbench, session_id: str, size: tuple[int, int]
) -> AsyncIterator[tuple[RunScreen, Pilot[str | None]]]:
    app = SelfHealApp(workbench, session_id=session_id)
    async with app.run_test(size=size) as pilot:
        yield await _run_screen(pilot), pilot
        await pilot.press("q")


async def _run_screen(pilot: Pilot[str | None]) -> RunScreen:
    await _until(pilot, lambda: isinstance(pilot.app.screen, RunScreen))
    assert isinstance(pilot.app.screen, RunScreen)
    return pilot.app.screen


def _asked(screen: RunScreen) -> str:
    question = screen.model.question
    return question.kind if question is not None and screen._arming.armed else ""


async def _approve(pilot: Pilot[str | None], screen: RunScreen, kind: str) -> None:
    """Approve; a card is deaf for a moment after it was painted."""
    async with asyncio.timeout(PATIENCE_S):
        while screen.model.question is not None and screen.model.question.kind == kind:
            await pilot.press("a")
            await pilot.pause(0.5)


async def _until(pilot: Pilot[str | None], true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not true():
            await pilot.pause(0.05)


async def _draw(pilot: Pilot[str | None], folder: Path, name: str) -> None:
    await pilot.pause(0.3)
    svg = pilot.app.export_screenshot(title="selfheal")
    svg = re.sub(r"@font-face\s*{.*?}", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code", "DejaVu Sans Mono")
    # An id from the text's hash would change every line with every word.
    svg = re.sub(r"terminal-\d+", f"selfheal-{name}", svg)
    elsewhere = set(re.findall(r"(?:https?:)?//[\w.-]+", svg)) - {"http://www.w3.org", "https://www.textualize.io"}
    assert not elsewhere, elsewhere
    svg = svg.replace("<!-- Generated with Rich https://www.textualize.io -->", "")
    (folder / f"{name}.svg").write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", "utf-8")
    print(folder / f"{name}.svg")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
