"""The app on its run screen over a fake session, and what a test asks of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.run.cards.side import Side
from selfheal_tui.ui.run.run import RunScreen
from tests.ui.fakes import FakeSession, FakeWorkbench, settle

SIZES = pytest.mark.parametrize("size", [(80, 24), (140, 45)], ids=["80x24", "140x45"])


class Run:
    """A running app and what a test asks of it."""

    def __init__(self, app: SelfHealApp, pilot: Pilot[str | None], session: FakeSession) -> None:
        self.app, self.pilot, self.session = app, pilot, session

    @property
    def screen(self) -> RunScreen:
        assert isinstance(self.app.screen, RunScreen)
        return self.app.screen

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()

    async def settle(self) -> None:
        await settle(self.pilot)

    def side_text(self) -> str:
        side = self.screen.query_one(Side)
        return " ".join(str(w.render()) for w in side.query(Static) if w.display and w.region.area)


@asynccontextmanager
async def running(
    session: FakeSession | None = None, size: tuple[int, int] = (80, 24), session_id: str = "s1"
) -> AsyncIterator[Run]:
    played = session or FakeSession("s1")
    app = SelfHealApp(FakeWorkbench(played), session_id=session_id)  # type: ignore[arg-type]
    async with app.run_test(size=size) as pilot:
        run = Run(app, pilot, played)
        await run.settle()
        yield run
