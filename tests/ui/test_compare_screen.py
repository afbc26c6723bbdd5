"""The compare screen: what differs between two moments, the default pair, choosing, swapping, leaving."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import pytest
from textual.pilot import Pilot
from textual.widgets import TabbedContent

from selfheal_tui.engine.history.compare import Comparison
from selfheal_tui.engine.moment.state import no_spend
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.diff_view import DiffView
from selfheal_tui.ui.kit.matrix_view import MatrixRows
from selfheal_tui.ui.run.run import RunScreen
from selfheal_tui.ui.screens.compare import ChooseMoment, CompareScreen, other_moment
from selfheal_tui.ui.view.comparison import _diagnoses, overview_content
from tests.ui.fakes import FakeSession, FakeWorkbench, settle


@asynccontextmanager
async def comparing(*keys: str, size: tuple[int, int] = (140, 45)) -> AsyncIterator[tuple[CompareScreen, Pilot[Any]]]:
    """Heal, press the keys, then compare."""
    app = SelfHealApp(FakeWorkbench(FakeSession("s1")), session_id="s1")  # type: ignore[arg-type]
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        for key in ("a", "a", *keys, "C"):
            await pilot.press(key)
            await settle(pilot)
        screen = app.screen
        assert isinstance(screen, CompareScreen)
        await loaded(screen, pilot)
        yield screen, pilot


async def loaded(screen: CompareScreen, pilot: Pilot[Any]) -> None:
    await settle(pilot)
    for worker in [w for w in screen._reader.workers if w.group == "compare"]:
        await worker.wait()
    await pilot.pause()


def text(screen: CompareScreen, what: str) -> str:
    return str(screen.query_one(f"#{what}").render())


@pytest.mark.parametrize("size", [(80, 24), (140, 45), (200, 60)], ids=["80x24", "140x45", "200x60"])
async def test_now_is_compared_with_the_iteration_before(size: tuple[int, int]) -> None:
    async with comparing(size=size) as (screen, _):
        assert (screen.a, screen.b) == ("c6", "c7")
        assert "iteration 0" in text(screen, "compare-sides") and "healed" in text(screen, "compare-sides")
        said = text(screen, "overview-text")
        assert "5 of 7" in said and "7 of 7" in said and "▲ B fixes 2" in said and "test_touching" in said
        assert " ".join(said.split()).count("cases failed 2 0 -2") == 1
        assert screen.query_one("#compare-sides").region.height == 2


def test_a_case_that_one_side_alone_has_is_named_where_it_fails() -> None:
    side = {"passed": 7, "failed": 0, "spent": no_spend(), "suite_is_current": True}
    cases = [
        {"id": "test_answers.py::test_fee_3", "a": None, "b": "failed"},
        {"id": "test_answers.py::test_fee_4", "a": None, "b": "passed"},
        {"id": "test_fee.py::test_few", "a": "passed", "b": "failed"},
    ]
    empty: dict[str, Any] = {"changed": [], "tests_diff": "", "diagnosis": [], "fixed": [], "broken": []}
    both = {"a": side, "b": {**side, "failed": 1}, "more_spent": no_spend(), "cases": cases, **empty}
    words = " ".join(overview_content(cast(Comparison, both)).plain.split())
    assert "cases failed 0 1 +1" in words
    assert words.endswith("Fails in B, and did not run in the other: 1 test_fee_3")


async def test_the_moment_looked_at_is_compared_with_now() -> None:
    async with comparing(*["left_square_bracket"] * 5) as (screen, _):
        assert (screen.a, screen.b) == ("c2", "c7")


async def test_the_tabs_show_code_diagnosis_and_the_flips() -> None:
    async with comparing() as (screen, pilot):
        await pilot.press("v")
        assert screen.query_one(TabbedContent).active == "code"
        diff = screen.query_one("#code-diff", DiffView)
        assert any("a[0] < b[1]" in diff.render_line(y).text for y in range(diff.size.height))
        await pilot.press("v", "v")
        assert "= the same" in text(screen, "diagnosis-text")
        await pilot.press("v")
        rows = screen.query_one(MatrixRows)
        assert "✗" in rows.render_line(0).text and "✓▲" in rows.render_line(0).text


async def test_the_sides_are_swapped_and_chosen() -> None:
    async with comparing() as (screen, pilot):
        await pilot.press("x")
        await loaded(screen, pilot)
        assert (screen.a, screen.b) == ("c7", "c6") and "▼ B breaks 2" in text(screen, "overview-text")
        await pilot.press("b")
        assert isinstance(pilot.app.screen, ChooseMoment)
        await pilot.press("home", "enter")
        await loaded(screen, pilot)
        assert (screen.a, screen.b) == ("c7", "c1") and "not run" in text(screen, "overview-text")
        await pilot.press("a", "escape")
        assert screen.a == "c7"


async def test_leaving_goes_back_to_the_run_and_answers_nothing() -> None:
    async with comparing() as (screen, pilot):
        session = screen._session
        assert isinstance(session, FakeSession)
        decided = len(session.decisions)
        await pilot.press("enter", "escape")
        await settle(pilot)
        assert isinstance(pilot.app.screen, RunScreen) and len(session.decisions) == decided


async def test_a_branch_is_compared_with_the_newest_of_the_others() -> None:
    session = FakeSession("s1")
    app = SelfHealApp(FakeWorkbench(session), session_id="s1")  # type: ignore[arg-type]
    async with app.run_test(size=(140, 45)) as pilot:
        await settle(pilot)
        for key in ("a", "f", *"b-7", "enter"):
            await pilot.press(key)
            await settle(pilot)
        timeline = await session.timeline()
        assert set(timeline.branches) == {"main", "b-7"}
        assert other_moment(timeline, timeline.branches["b-7"].head) == timeline.branches["main"].head
        undone = {**timeline.branches, "main": replace(timeline.branches["main"], hidden="undone")}
        proposed = other_moment(replace(timeline, branches=undone), timeline.branches["b-7"].head)
        assert timeline.checkpoints[proposed].iteration == 0 and proposed != timeline.branches["main"].head
        app.show_compare("s1", "main", "b-7")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, CompareScreen)
        assert (screen.a, screen.b) == (timeline.branches["main"].head, timeline.branches["b-7"].head)


def test_a_diagnosis_on_one_side_only_is_said_so() -> None:
    pair = {"field": "cause", "same": False, "a": None, "b": "It adds."}
    assert _diagnoses([pair]) == "only B has one"  # type: ignore[list-item]
    assert _diagnoses([{**pair, "a": "It adds.", "b": None}]) == "only A has one"  # type: ignore[list-item]
    assert _diagnoses([{**pair, "a": "It doubles."}]) == "differs in cause"  # type: ignore[list-item]
