"""The sessions screen: order, deleting, the empty state."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from textual.pilot import Pilot
from textual.widgets import DataTable

from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.screens.confirm import ConfirmScreen
from selfheal_tui.ui.screens.run import RunScreen
from selfheal_tui.ui.screens.sessions import SessionsScreen, ago
from tests.ui.fakes import FakeWorkbench, row, settle

ROWS = [row("s1", "healed"), row("s2", "waiting", "bank", "repair"), row("s3", "gave_up", "a [red]title[/red]")]


async def until_listed(pilot: Pilot[str | None], count: int) -> DataTable[object]:
    table = pilot.app.screen.query_one(DataTable)
    for _ in range(200):
        if table.row_count == count:
            break
        await pilot.pause(0.01)
    return table


def app(rows: int = 3) -> SelfHealApp:
    return SelfHealApp(FakeWorkbench(rows=ROWS[:rows]))  # type: ignore[arg-type]


async def test_what_waits_comes_first_and_enter_opens_it() -> None:
    shown = app()
    async with shown.run_test(size=(80, 24)) as pilot:
        table = await until_listed(pilot, 3)
        assert [key.value for key in table.rows] == ["s2", "s1", "s3"]
        assert str(table.get_row_at(0)[1]) == "◆ waits: repair"
        assert str(table.get_row_at(2)[0]) == "a [red]title[/red]"
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(shown.screen, RunScreen)
        assert shown.last_session_id == "s2"


@pytest.mark.parametrize(("key", "gone"), [("y", ["s2"]), ("escape", []), ("enter", [])])
async def test_only_y_deletes(key: str, gone: list[str]) -> None:
    shown = app()
    async with shown.run_test(size=(80, 24)) as pilot:
        await until_listed(pilot, 3)
        await pilot.press("x")
        await settle(pilot)
        assert isinstance(shown.screen, ConfirmScreen)
        await pilot.press(key)
        await settle(pilot)
        assert shown.workbench.deleted == gone  # type: ignore[attr-defined]


async def test_without_sessions_the_next_step_is_named() -> None:
    shown = app(0)
    async with shown.run_test(size=(80, 24)) as pilot:
        screen = shown.screen
        assert isinstance(screen, SessionsScreen)
        for _ in range(200):
            if "No sessions yet" in str(screen.query_one("#empty").render()):
                break
            await pilot.pause(0.01)
        assert "starts a demo" in str(screen.query_one("#empty").render())
        assert not screen.query_one(DataTable).display


@pytest.mark.parametrize(
    ("when", "words"),
    [
        ("2026-01-02T11:59:30Z", "just now"),
        ("2026-01-02T11:30:00Z", "30 min ago"),
        ("2026-01-02T09:00:00+00:00", "3 h ago"),
        ("2025-12-31T12:00:00", "2 d ago"),
        ("soon", "soon"),
    ],
)
def test_ago(when: str, words: str) -> None:
    assert ago(when, datetime(2026, 1, 2, 12, tzinfo=UTC)) == words
