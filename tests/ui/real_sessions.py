"""The app on its run screen over a real session, and how a test answers its questions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from selfheal_tui.engine.session.workbench import RunOptions, Workbench
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.run.run import RunScreen
from tests.wire.rig import until

PATIENCE_S = 60.0


@asynccontextmanager
async def app_over(folder: Path, task: Any, run_options: RunOptions) -> AsyncIterator[tuple[RunScreen, Pilot[Any]]]:
    """Open the app on a new session and wait for its first question."""
    workbench = Workbench(folder / "sessions")
    session_id = await workbench.create(task, run_options)
    app = SelfHealApp(workbench, session_id=session_id)
    try:
        async with app.run_test(size=(140, 45)) as pilot:
            await until(lambda: isinstance(app.screen, RunScreen) and armed(app.screen) != "", PATIENCE_S)
            assert isinstance(app.screen, RunScreen)
            yield app.screen, pilot
            await pilot.press("q")
    finally:
        await workbench.aclose()


def armed(screen: RunScreen) -> str:
    """Return the kind of the question whose keys are heard; empty while none is."""
    question = screen.model.question
    return question.kind if question is not None and screen._arming.armed else ""


async def answer(screen: RunScreen, pilot: Pilot[Any], *keys: str) -> str:
    """Press keys, wait for another question or the end, and return which."""
    before = screen.model.review
    await pilot.press(*keys)
    await until(
        lambda: (screen.model.review != before and armed(screen) != "") or bool(screen.model.outcome), PATIENCE_S
    )
    return screen.model.outcome or armed(screen)
