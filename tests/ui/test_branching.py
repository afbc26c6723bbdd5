"""Branches on the run screen, over real sessions: undo and redo, a race and its winner, the list of branches."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import DataTable, Input, Static

from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.llm.registry import PROVIDERS
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.run.cards.side import Side
from selfheal_tui.ui.run.run import RunScreen
from selfheal_tui.ui.screens.branches import BranchesScreen
from selfheal_tui.ui.screens.compare import CompareScreen
from tests.engine.driving import FIXED, drain, options, shop_task, to_review
from tests.ui import gated_provider
from tests.ui.real_sessions import PATIENCE_S, answer, app_over, armed
from tests.wire.rig import until

LANES = "autonomy=full_auto critic=off | autonomy=full_auto critic=off max_iterations=2 | all max_calls=9"


@asynccontextmanager
async def branched(tmp_path: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[RunScreen, Pilot[Any]]]:
    """Open the app on a session with a branch `mine` that is healed; it stands on main, whose question waits."""
    workbench = Workbench(tmp_path / "sessions")
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        await drain(session.fork(asked.checkpoint_id, {"code": {"shop.py": FIXED}}, "mine"))
        await session.branches.go("main")
    app = SelfHealApp(workbench, session_id=session_id)
    try:
        async with app.run_test(size=size) as pilot:
            await until(lambda: isinstance(app.screen, RunScreen) and armed(app.screen) != "", PATIENCE_S)
            assert isinstance(app.screen, RunScreen)
            yield app.screen, pilot
            while not isinstance(app.screen, RunScreen):
                await pilot.press("escape")
            await pilot.press("q")
    finally:
        await workbench.aclose()


@pytest.mark.deep
async def test_an_answer_is_taken_back_and_given_again(tmp_path: Path) -> None:
    async with app_over(tmp_path, shop_task(), options()) as (screen, pilot):
        first = screen.model.review
        assert await answer(screen, pilot, "a") == "repair"
        assert "u takes your answer back" in str(screen.query_one(Side).border_subtitle)
        await pilot.press("u")
        await until(lambda: screen.model.review == first and armed(screen) == "diagnosis", PATIENCE_S)
        assert screen.model.timeline.branches["undone-1"].hidden == "undone"
        assert screen.evidence.transcript.live_text.splitlines()[-1].startswith("── taken back: ")
        assert await answer(screen, pilot, "a") == "repair"
        assert screen.model.timeline.stands == "main"
        await pilot.press("u")
        await until(lambda: screen.model.review == first, PATIENCE_S)
        await pilot.press("U")
        await until(lambda: armed(screen) == "repair", PATIENCE_S)
        assert await answer(screen, pilot, "a") == "healed"


async def test_undo_with_nothing_to_undo_says_so_and_changes_nothing(tmp_path: Path) -> None:
    async with app_over(tmp_path, shop_task(), options()) as (screen, pilot):
        before = screen.model.review
        await pilot.press("u")
        await until(lambda: bool(screen.app._notifications), PATIENCE_S)
        assert "nothing to undo" in next(iter(screen.app._notifications)).message
        assert screen.model.review == before


@pytest.mark.deep
async def test_a_race_is_run_and_its_winner_kept(tmp_path: Path) -> None:
    async with app_over(tmp_path, shop_task(), options()) as (screen, pilot):
        await pilot.press("F")
        screen.query_one("#picker Input", Input).value = LANES
        await pilot.press("enter")
        await until(lambda: screen.model.race is not None and screen._arming.armed, PATIENCE_S)
        race = screen.model.race
        assert race is not None and [lane.outcome for lane in race.lanes] == ["healed", "healed"]
        side = screen.query_one(Side)
        assert "which lane goes on" in str(side.border_title)
        text = str(side.query_one("#panel-text", Static).render())
        assert all(lane.branch in text for lane in race.lanes)
        await pilot.press("enter", "7")
        assert screen.model.race is race, "nothing but a lane's number keeps one"
        await pilot.press("2")
        await until(lambda: screen.model.outcome == "healed", PATIENCE_S)
        timeline = screen.model.timeline
        kept, other = race.by_key[1].branch, race.by_key[0].branch
        assert timeline.stands == kept and timeline.branches[other].hidden == "race"
        await pilot.press("u")
        await until(lambda: screen.model.race is not None, PATIENCE_S)
        assert screen.model.timeline.stands == "main"


@pytest.mark.deep
async def test_a_race_done_again_goes_on_where_it_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROVIDERS, "gated", f"{gated_provider.__name__}:open_provider")
    gate = gated_provider.Gate()
    monkeypatch.setattr(gated_provider, "gates", [gate])
    async with app_over(tmp_path, shop_task(), options("gated:any")) as (screen, pilot):
        first = screen.model.review
        await pilot.press("F")
        screen.query_one("#picker Input", Input).value = LANES
        await pilot.press("enter")
        await until(lambda: len(screen.model.timeline.branches) == 3 and gate.arrived > 0, PATIENCE_S)
        await pilot.press("i")
        assert any("A race takes no note" in note.message for note in screen.app._notifications)
        await pilot.press("u")
        await until(lambda: screen.model.review == first, PATIENCE_S)
        begun = screen.model.timeline
        await pilot.press("U")
        await until(lambda: not screen.model.timeline.branches["race-full_auto"].hidden, PATIENCE_S)
        side = screen.query_one(Side)
        assert screen.model.question is None and "Paused" in str(side.border_title)
        gate.opened.set()
        await pilot.press("R")
        await until(lambda: screen.model.race is not None, PATIENCE_S)
        race, timeline = screen.model.race, screen.model.timeline
        assert race is not None and {x.outcome for x in race.lanes} == {"healed"}
        assert timeline.branches.keys() == begun.branches.keys(), "no lane was begun twice"
        assert begun.checkpoints.keys() < timeline.checkpoints.keys()


async def test_who_deletes_the_branch_that_is_shown_is_taken_to_the_one_before(tmp_path: Path) -> None:
    async with branched(tmp_path, (80, 24)) as (screen, pilot):
        mine = screen.model.timeline.branches["mine"]
        assert screen.model.timeline.stands == "main"
        await pilot.press("B")
        await until(lambda: isinstance(screen.app.screen, BranchesScreen), PATIENCE_S)
        table = screen.app.screen.query_one(DataTable)
        await until(lambda: len(table.rows) == 2, PATIENCE_S)
        await pilot.press("down", "enter")
        await until(lambda: screen.app.screen is screen and screen.model.timeline.stands == "mine", PATIENCE_S)
        await pilot.press("B")
        await until(lambda: isinstance(screen.app.screen, BranchesScreen), PATIENCE_S)
        table = screen.app.screen.query_one(DataTable)
        await until(lambda: len(table.rows) == 2, PATIENCE_S)
        await pilot.press("x")
        await until(lambda: "deleted" in str(table.get_cell("mine", "hidden")), PATIENCE_S)
        assert "The session goes on, on main." in [note.message for note in screen.app._notifications][-1]
        await pilot.press("escape")
        await until(lambda: screen.app.screen is screen, PATIENCE_S)
        await until(lambda: screen.model.question is not None, PATIENCE_S)
        assert screen.model.question.checkpoint_id != mine.head and screen.model.timeline.stands == "main"


async def test_lanes_that_cannot_be_are_refused_with_a_sentence(tmp_path: Path) -> None:
    async with app_over(tmp_path, shop_task(), options()) as (screen, pilot):
        await pilot.press("F")
        picker = screen.query_one(Side).picker
        line, hint = picker.query_one(Input), picker.query_one(".picker-hint", Static)
        for text, why in (("minimal | rewrite", "minimal"), ("strategies=minimal", "two lanes at least")):
            line.value = text
            line.cursor_position = len(text)
            await pilot.press("enter")
            await until(lambda why=why: str(hint.render()).startswith("! ") and why in str(hint.render()), PATIENCE_S)  # type: ignore[misc]
            assert picker.is_open and line.has_focus and line.value == text
            await until(lambda: not screen.model.running, PATIENCE_S)
            await pilot.press("u")
            assert line.value == f"{text}u" and screen.model.question is not None
        assert armed(screen) == "diagnosis"
        await pilot.press("escape")
        assert list(screen.model.timeline.branches) == ["main"]


@pytest.mark.parametrize("size", [(80, 24), (140, 45)], ids=["80x24", "140x45"])
async def test_branches_are_listed_and_changed(tmp_path: Path, size: tuple[int, int]) -> None:
    async with branched(tmp_path, size) as (screen, pilot):
        await pilot.press("B")
        await until(lambda: isinstance(screen.app.screen, BranchesScreen), PATIENCE_S)
        listed = screen.app.screen
        table = listed.query_one(DataTable)

        def names() -> list[str]:
            return [str(key.value) for key in table.rows]

        await until(lambda: names() == ["main", "mine"], PATIENCE_S)
        assert "▸" in str(table.get_cell("main", "name")) and "healed" in str(table.get_cell("mine", "outcome"))
        for key, row in (("end", 1), ("home", 0)):
            await pilot.press(key)
            assert table.cursor_row == row
        await pilot.press("down", "P")
        await until(lambda: names() == ["mine", "main"], PATIENCE_S)
        await pilot.press("c")
        listed.query_one("#line Input", Input).value = "yours"
        await pilot.press("enter")
        await until(lambda: names() == ["yours", "main"], PATIENCE_S)
        await pilot.press("x")
        await until(lambda: "deleted" in str(table.get_cell("yours", "hidden")), PATIENCE_S)
        await pilot.press("u")
        await until(lambda: "deleted" not in str(table.get_cell("yours", "hidden")), PATIENCE_S)
        await pilot.press("C")
        await until(lambda: isinstance(screen.app.screen, CompareScreen), PATIENCE_S)
        await pilot.press("escape")
        await until(lambda: screen.app.screen is listed, PATIENCE_S)
        await pilot.press("enter")
        await until(lambda: screen.app.screen is screen and screen.model.outcome == "healed", PATIENCE_S)
        assert screen.model.timeline.stands == "yours" and screen.model.shown is not None
        assert screen.model.shown.program == {"shop.py": FIXED}
