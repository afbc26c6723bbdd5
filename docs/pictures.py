"""Draw the pictures of the docs: `python docs/pictures.py`; `make pictures` records a minute of the demo too.

Sessions of the demos and of a small scripted one are run to each question and to their end; each is drawn as the app
shows it at 80x24 and at 140x45, as SVG that names no other host and no font to load.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import Event, ReviewRequested, RunFinished
from selfheal_tui.engine.session.workbench import RunOptions, Workbench, default_limits
from selfheal_tui.engine.task.demos import load_demo
from selfheal_tui.engine.task.task import Task, load_task
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.run.run import RunScreen

FOLDER = Path(__file__).parent / "pictures"
PATIENCE_S = 300.0
SIZES = {"80x24": (80, 24), "140x45": (140, 45)}
SPEC = "mean(numbers) returns the arithmetic mean; of no numbers it is 0."
TESTS = """from solution import mean


def test_some():
    assert mean([1, 2, 6]) == 3


def test_none():
    assert mean([]) == 0
"""
CODE = "def mean(numbers):\n    return sum(numbers) / len(numbers)\n"
WORSE = CODE.replace("len(numbers)", "max(numbers)")
DIAGNOSIS = {
    "fault": "code",
    "category": "missing_case",
    "cause": "An empty list is divided by its length, which is 0.",
    "evidence": [{"file": "solution.py", "line": 2, "why": "len(numbers) is 0"}],
    "strategy": "Return 0 for no numbers.",
    "confidence": 0.9,
}


async def main(folder: Path) -> None:
    """Run each session, and draw each kind of card once."""
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        workbench = Workbench(Path(home) / "sessions")
        try:
            await _story(workbench, folder, load_demo("intervals"), RunOptions("review_all"))
            limits: Any = {**default_limits(), "max_calls": 5}
            scripted = RunOptions("review_all", {"*": _script(Path(home))}, limits)
            scripted.policy.update({"debug_steps": 0, "near_miss_s": 0.0})
            await _story(workbench, folder, load_task([], [], SPEC, []), scripted)
        finally:
            await workbench.aclose()


def _script(home: Path) -> str:
    """Write a model that writes tests and code with a bug, and always proposes the same repair; return its name."""
    replies = [
        {"role": "spec_tester", "reply": {"tests": TESTS}},
        {"role": "generator", "reply": {"code": CODE}},
        {"role": "debugger", "reply": DIAGNOSIS},
        {
            "role": "repairer",
            "reply": {"summary": "Divide by the largest.", "files": [{"path": "solution.py", "text": WORSE}]},
        },
    ]
    path = home / "model.yaml"
    path.write_text(json.dumps({"replies": replies}), "utf-8")
    return f"scripted:{path}"


async def _story(workbench: Workbench, folder: Path, task: Task, options: RunOptions) -> None:
    """Run a session to its end, approving everything, and draw each question that has no picture yet, and the end."""
    session_id = await workbench.create(task, options)
    asked: ReviewRequested | None = None
    for _ in range(20):
        async with workbench.open_session(session_id) as session:
            events = session.resume() if asked is None else session.decide(asked.checkpoint_id, review.approve())
            last = await _last(events)
        if isinstance(last, ReviewRequested):
            asked = last
            await _draw_at_sizes(workbench, folder, session_id, last.kind)
        else:
            assert isinstance(last, RunFinished), last
            await _draw_at_sizes(workbench, folder, session_id, str(last.snapshot.outcome))
            return


async def _last(events: AsyncIterator[Event]) -> Event:
    return [event async for event in events][-1]


_DRAWN: set[str] = set()


async def _draw_at_sizes(workbench: Workbench, folder: Path, session_id: str, name: str) -> None:
    if name in _DRAWN:
        return
    _DRAWN.add(name)
    for size, cells in SIZES.items():
        app = SelfHealApp(workbench, session_id=session_id)
        async with app.run_test(size=cells) as pilot:
            await until(pilot, partial(is_shown, app))
            await _draw(pilot, folder, f"{name}-{size}")
            await pilot.press("q")


def is_shown(app: SelfHealApp) -> bool:
    """Tell whether the session is there, with its end or with a question that hears keys."""
    screen = app.screen
    if not isinstance(screen, RunScreen):
        return False
    return bool(screen.model.outcome) or (screen.model.question is not None and screen._arming.armed)


async def until(pilot: Pilot[str | None], true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not true():
            await pilot.pause(0.05)


async def _draw(pilot: Pilot[str | None], folder: Path, name: str) -> None:
    await pilot.pause(0.3)
    (folder / f"{name}.svg").write_text(plain_svg(pilot.app, name), "utf-8")
    print(folder / f"{name}.svg")


def plain_svg(app: App[str | None], name: str) -> str:
    """Return what an app shows as SVG; `name` makes its ids."""
    svg = app.export_screenshot(title="selfheal")
    svg = re.sub(r"@font-face\s*{.*?}", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code", "DejaVu Sans Mono")
    # An id from the text's hash would change every line with every word.
    svg = re.sub(r"terminal-\d+", f"selfheal-{name}", svg)
    elsewhere = set(re.findall(r"(?:https?:)?//[\w.-]+", svg)) - {"http://www.w3.org", "https://www.textualize.io"}
    assert not elsewhere, elsewhere
    svg = svg.replace("<!-- Generated with Rich https://www.textualize.io -->", "")
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
