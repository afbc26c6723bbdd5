"""Benchmarks in the app: the runs, the tasks of one, and from a task to its session and back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.store.lock import open_driver_lock
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.inline_prompt import InlinePrompt
from selfheal_tui.ui.run.run import RunScreen
from selfheal_tui.ui.screens.bench import BenchScreen
from selfheal_tui.ui.screens.bench_table import BenchTable
from selfheal_tui.ui.screens.bench_tasks import BenchTasksScreen
from selfheal_tui.ui.screens.sessions import SessionsScreen
from tests.bench_runs import append, write_run
from tests.engine.driving import options, shop_task
from tests.ui.fakes import FakeWorkbench, settle
from tests.unit.test_bench_metrics import result
from tests.wire import rig

TASKS = [
    result("own/slow", time_s=30.0, category="dates"),
    result("own/wrong", repaired=False, time_s=2.0, category="graphs", reason="All 2 cases pass after 1 repair."),
    result("own/none", plausible=False, repaired=False, time_s=9.0, category="dates"),
]
RUN = "20260101-100000-own"


@pytest.fixture(autouse=True)
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project" / "bench-results"


@pytest.fixture
def followed_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    for screen in (BenchScreen, BenchTasksScreen):
        monkeypatch.setattr(screen, "FOLLOW_S", 0.05)


async def until(holds: Callable[[], bool]) -> None:
    """Wait for what comes about by itself, also on a busy machine."""
    await rig.until(holds, 60.0)


def app() -> SelfHealApp:
    return SelfHealApp(FakeWorkbench())  # type: ignore[arg-type]


async def listed(pilot: Pilot[Any], count: int) -> BenchTable:
    """Wait until so many rows stand there."""
    await until(lambda: len(pilot.app.screen.query(BenchTable)) == 1 and table(pilot).row_count == count)
    await settle(pilot)
    return table(pilot)


def table(pilot: Pilot[Any]) -> BenchTable:
    return pilot.app.screen.query_one(BenchTable)


def ids(pilot: Pilot[Any]) -> list[str]:
    return [str(key.value) for key in table(pilot).rows]


def words(pilot: Pilot[Any], selector: str) -> str:
    return str(pilot.app.screen.query_one(selector, Static).content)


def notes(shown: SelfHealApp) -> str:
    return " ".join(note.message for note in shown._notifications)


async def test_from_the_sessions_to_a_run_and_back(parent: Path) -> None:
    write_run(parent / RUN, TASKS, selected=4, ended=False)
    shown = app()
    async with shown.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "Benchmarks" in {command.title for command in shown.get_system_commands(shown.screen)}
        await pilot.press("b")
        runs = await listed(pilot, 1)
        assert [str(cell) for cell in runs.get_row_at(0)[:3]] == ["own", "‖ stopped, 3/4", "1, 33 %"]
        assert RUN in words(pilot, "#about") and "not started" not in words(pilot, "#about")
        await pilot.press("enter")
        await listed(pilot, 3)
        assert ids(pilot) == ["own/slow", "own/wrong", "own/none"], "as they finished"
        assert str(table(pilot).get_row_at(0)[0]) == "slow", "without what all names begin with"
        said = words(pilot, "#summary")
        assert "repaired 1, 33 % (6 to 79 %)" in said and "plausible 2, 67 % (21 to 94 %)" in said
        await pilot.press("down")
        await settle(pilot)
        details = words(pilot, "#details")
        assert "plausible only" in details and "All 2 cases pass after 1 repair." in details
        await pilot.press("escape")
        await listed(pilot, 1)
        await pilot.press("escape")
        assert isinstance(shown.screen, SessionsScreen)


async def test_tasks_are_sorted_by_a_column_either_way(parent: Path) -> None:
    write_run(parent / RUN, TASKS)
    async with app().run_test(size=(140, 45)) as pilot:
        await pilot.press("b")
        await listed(pilot, 1)
        await pilot.press("enter")
        await listed(pilot, 3)
        await pilot.press("s")
        assert ids(pilot) == ["own/none", "own/slow", "own/wrong"], "by name"
        await pilot.press("s")
        assert ids(pilot) == ["own/slow", "own/wrong", "own/none"], "the repaired one first"
        await pilot.press("s", "s", "S")
        assert ids(pilot) == ["own/slow", "own/none", "own/wrong"], "by seconds, the slowest first"
        assert "Secs ▼" in [str(column.label) for column in table(pilot).columns.values()]
        await pilot.click(BenchTable, offset=(3, 0))
        assert ids(pilot) == ["own/none", "own/slow", "own/wrong"], "a click on the heading"
        assert [str(c.label) for c in table(pilot).columns.values()][-2:] == ["Tried", "Cost"], "all fit"


async def test_a_filter_counts_what_it_shows(parent: Path) -> None:
    write_run(parent / RUN, TASKS)
    async with app().run_test(size=(80, 24)) as pilot:
        await pilot.press("b")
        await listed(pilot, 1)
        await pilot.press("enter")
        await listed(pilot, 3)
        await pilot.press("slash", *"dates")
        assert ids(pilot) == ["own/slow", "own/none"]
        assert "2 shown · search\nrepaired 1, 50 % (9 to 91 %)" in words(pilot, "#summary")
        await pilot.press(*" xyz")
        assert ids(pilot) == [] and words(pilot, "#details") == "No task holds these words."
        await pilot.press("escape")
        assert len(ids(pilot)) == 3 and isinstance(pilot.app.screen, BenchTasksScreen)


@pytest.mark.usefixtures("followed_closely")
async def test_a_run_that_goes_on_is_followed(parent: Path) -> None:
    folder = write_run(parent / RUN, TASKS[:1], selected=3, ended=False)
    with open_driver_lock(folder):
        async with app().run_test(size=(80, 24)) as pilot:
            await pilot.press("b")
            runs = await listed(pilot, 1)
            assert str(runs.get_row_at(0)[1]) == "▸ runs, 1/3"
            append(folder, TASKS[1])
            await until(lambda: str(runs.get_row_at(0)[1]) == "▸ runs, 2/3")
            await pilot.press("enter")
            await listed(pilot, 2)
            await pilot.press("down")
            append(folder, TASKS[2])
            await listed(pilot, 3)
            assert table(pilot).current() == "own/wrong", "the cursor stays"
            assert "▸ runs, 3/3" in words(pilot, "#summary")


async def test_what_was_not_kept_says_how_to_get_it(parent: Path) -> None:
    chosen = {"selected": 1, "arguments": {"suite": "own suite", "data": "/data/x.jsonl"}}
    write_run(parent / RUN, [result("it's", session_id="../../../etc")], chosen=chosen)
    write_run(parent / "foreign", TASKS, own=False, chosen=chosen)
    shown = app()
    async with shown.run_test(size=(140, 45)) as pilot:
        await pilot.press("b")
        runs = await listed(pilot, 2)
        runs.move_cursor(row=ids(pilot).index(f"bench-results/{RUN}"))
        await pilot.press("enter")
        await listed(pilot, 1)
        await pilot.press("enter")
        await settle(pilot)
        command = """selfheal bench 'own suite' --data /data/x.jsonl --ids 'it'"'"'s' --keep"""
        assert f"to get it: {command}" in notes(shown)
        await pilot.press("escape")
        await listed(pilot, 2)
        table(pilot).move_cursor(row=ids(pilot).index("bench-results/foreign"))
        await settle(pilot)
        assert "was not started here by you" in words(pilot, "#about")
        await pilot.press("enter")
        await listed(pilot, 3)
        assert "a run with --keep keeps the sessions" in words(pilot, "#details"), "no command of a stranger"


@pytest.mark.parametrize("own", [True, False])
async def test_a_task_is_opened_as_its_session(parent: Path, own: bool) -> None:
    folder = write_run(parent / RUN, [], own=own)
    kept, mine = Workbench(folder / "sessions"), Workbench(parent.parent / "sessions")
    session_id = await kept.create(shop_task(), options("search"))
    await kept.aclose()
    append(folder, TASKS[0], result("own/kept", session_id=session_id))
    shown = SelfHealApp(mine)
    home = shown.settings.sessions
    async with shown.run_test(size=(80, 24)) as pilot:
        await pilot.press("b")
        await listed(pilot, 1)
        await pilot.press("enter")
        await listed(pilot, 2)
        await pilot.press("down", "enter")
        if not own:
            await until(lambda: shown.screen.query_one(InlinePrompt).is_open)
            await pilot.press("escape")
            assert isinstance(shown.screen, BenchTasksScreen) and not shown.screen.query_one(InlinePrompt).is_open
            await pilot.press("enter", "enter")
        await until(lambda: isinstance(shown.screen, RunScreen) and shown.screen.driver.session is not None)
        await settle(pilot)
        assert isinstance(shown.screen, RunScreen)
        assert shown.screen.session_id == session_id and shown.screen.model.is_paused, "nothing runs by itself"
        assert shown.last_session_id == session_id and shown.settings.sessions == folder / "sessions"
        await pilot.press("b")
        await until(lambda: isinstance(shown.screen, BenchTasksScreen))
        await settle(pilot)
        assert table(pilot).current() == "own/kept" and table(pilot).has_focus
        assert shown.last_session_id is None and shown.settings.sessions == home and shown.workbench is mine
    await mine.aclose()


async def test_a_run_that_lies_elsewhere_is_named(parent: Path, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "other" / "run", TASKS)
    async with app().run_test(size=(80, 24)) as pilot:
        await pilot.press("b")
        await until(lambda: "No benchmark run" in words(pilot, "#empty"))
        await pilot.press("o", "x", "enter")
        await settle(pilot)
        assert pilot.app.screen.query_one(InlinePrompt).is_open, "it says that there is none"
        pilot.app.screen.query_one("#line Input", Input).value = str(folder.parent)
        await pilot.press("enter")
        await listed(pilot, 1)
        assert ids(pilot) == [str(folder)], "all runs of a folder that holds some"


@pytest.mark.deep
@pytest.mark.usefixtures("followed_closely")
@pytest.mark.parametrize("spoil", [lambda f: f.unlink(), lambda f: f.write_text(json.dumps({"format": 7}))])
async def test_a_run_that_cannot_be_read_says_why(parent: Path, spoil: Callable[[Path], Any]) -> None:
    folder = write_run(parent / RUN, TASKS)
    shown = app()
    async with shown.run_test(size=(80, 24)) as pilot:
        await pilot.press("b")
        await listed(pilot, 1)
        await pilot.press("enter")
        await listed(pilot, 3)
        spoil(folder / "run.json")
        append(folder, result("own/later"))
        await settle(pilot)
        assert len(ids(pilot)) == 3, "what was read stays"
        await pilot.press("escape")
        if (folder / "run.json").exists():
            await until(lambda: table(pilot).row_count == 1 and "cannot be read" in str(table(pilot).get_row_at(0)[1]))
            await pilot.press("enter")
            await settle(pilot)
            assert "another version of selfheal" in notes(shown)
        else:
            await until(lambda: table(pilot).row_count == 0)
