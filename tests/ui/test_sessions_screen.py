"""The sessions screen: order, filter, renaming, deleting and bringing back, the empty state."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import DataTable, Input, Static

from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.choice_list import ChoiceList
from selfheal_tui.ui.kit.inline_prompt import InlinePrompt
from selfheal_tui.ui.run.run import RunScreen
from selfheal_tui.ui.screens.demos import DemosScreen
from selfheal_tui.ui.screens.session_list import SessionsTable
from selfheal_tui.ui.screens.sessions import SessionsScreen
from selfheal_tui.ui.view.session_rows import (
    about,
    ago,
    cell,
    columns_at,
    matching,
    ordered,
    spent_cell,
    state_words,
)
from tests.ui.fakes import FakeWorkbench, row, settle

ROWS = [row("s1", "healed"), row("s2", "waiting", "bank", "repair"), row("s3", "gave_up", "a [red]title[/red]")]


async def until_listed(pilot: Pilot[str | None], count: int) -> DataTable[object]:
    table = pilot.app.screen.query_one(DataTable)
    for _ in range(200):
        if table.row_count == count:
            break
        await pilot.pause(0.01)
    assert table.row_count == count
    return table


def app(rows: int = 3) -> SelfHealApp:
    return SelfHealApp(FakeWorkbench(rows=ROWS[:rows]))  # type: ignore[arg-type]


def ids(table: DataTable[object]) -> list[str | None]:
    return [key.value for key in table.rows]


async def test_what_waits_comes_first_and_enter_opens_it() -> None:
    shown = app()
    async with shown.run_test(size=(80, 24)) as pilot:
        table = await until_listed(pilot, 3)
        assert ids(table) == ["s2", "s1", "s3"]
        assert str(table.get_row_at(0)[1]) == "◆ waits: repair"
        forked = replace(ROWS[1], waiting_for="repair", stands="other", healed_branches=("main",))
        assert state_words(forked)[1] == "waits, main healed"
        assert "healed on main; on other: enter shows the repair that waits for you" in about(forked)
        assert str(table.get_row_at(2)[0]) == "a [red]title[/red]"
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(shown.screen, RunScreen)
        assert shown.last_session_id == "s2"
        await pilot.press("b")
        await until_listed(pilot, 3)
        await pilot.press("slash", "i", "tab", "escape")
        assert len(ids(shown.screen.query_one(SessionsTable))) == 3, "the filter first"
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(shown.screen, RunScreen) and shown.screen.session_id == "s2", "where b was pressed"


async def test_a_filter_is_heard_at_each_key_and_enter_opens_what_it_found() -> None:
    shown = app()
    async with shown.run_test(size=(80, 24)) as pilot:
        table = await until_listed(pilot, 3)
        await pilot.press("slash", "i", "n", "t")
        assert ids(table) == ["s1"]
        await pilot.press("escape")
        assert ids(table) == ["s2", "s1", "s3"]
        await pilot.press("slash", *"gave", "enter")
        await settle(pilot)
        assert shown.last_session_id == "s3"


async def test_back_from_a_session_the_list_is_as_it_was_left() -> None:
    shown = app()
    async with shown.run_test(size=(80, 24)) as pilot:
        await until_listed(pilot, 3)
        await pilot.press("down", "down", "enter")
        await settle(pilot)
        assert shown.last_session_id == "s3"
        await pilot.press("b")
        await until_listed(pilot, 3)
        await settle(pilot)
        row = shown.screen.query_one(SessionsTable).current()
        assert row is not None and row.session_id == "s3"
        await pilot.press("slash", *"gave", "enter")
        await settle(pilot)
        await pilot.press("b")
        table = await until_listed(pilot, 1)
        assert ids(table) == ["s3"] and shown.screen.query_one("#filter", Input).display
        await pilot.press("escape")
        assert len(ids(table)) == 3 and shown.sessions_filter == ""


async def test_a_deleted_session_is_brought_back() -> None:
    shown = app()
    async with shown.run_test(size=(80, 24)) as pilot:
        table = await until_listed(pilot, 3)
        await pilot.press("x", *"no", "enter")
        assert shown.workbench.deleted == []  # type: ignore[attr-defined]
        await pilot.press("x", "enter")
        await until_listed(pilot, 2)
        assert shown.workbench.deleted == ["s2"]  # type: ignore[attr-defined]
        assert isinstance(shown.screen, SessionsScreen), "Enter answers the question, and opens nothing"
        assert shown._notifications
        shown._leave_for(SessionsScreen())
        await pilot.pause()
        assert not shown._notifications, "u means something else on another screen"
        table = await until_listed(pilot, 2)
        assert "1 deleted, u undoes" in str(shown.screen.query_one("#heading", Static).render())
        await pilot.press("u")
        await until_listed(pilot, 3)
        assert ids(table) == ["s2", "s1", "s3"]
        assert not shown.deleted_sessions


async def test_deleting_leaves_the_cursor_in_its_row_and_names_the_key_that_takes_it_back() -> None:
    shown = SelfHealApp(FakeWorkbench(rows=[row(f"s{n}", "healed", f"title {n}") for n in range(4)]))  # type: ignore[arg-type]
    async with shown.run_test(size=(80, 24)) as pilot:
        table = await until_listed(pilot, 4)
        before = ids(table)
        await pilot.press("down", "x", "enter")
        await until_listed(pilot, 3)
        assert ids(table)[table.cursor_row] == before[2], "the session below takes the row"
        await pilot.press("down", "x", "enter")
        await until_listed(pilot, 2)
        assert ids(table)[table.cursor_row] == before[2], "the last row takes the one above"
        title = f"title {str(before[3])[1:]}"
        assert [note.message for note in shown._notifications][-1] == f"Deleted {title}; u brings it back."
        await pilot.press("up", "u")
        await until_listed(pilot, 3)
        await settle(pilot)
        assert ids(table)[table.cursor_row] == before[3], "the cursor shows what came back"
        assert [note.message for note in shown._notifications][-1] == f"Brought {before[3]} back."


async def test_a_session_that_somebody_drives_is_not_deleted() -> None:
    shown = SelfHealApp(FakeWorkbench(rows=[row("busy", "running")]))  # type: ignore[arg-type]
    async with shown.run_test(size=(80, 24)) as pilot:
        await until_listed(pilot, 1)
        await pilot.press("x", "enter")
        await settle(pilot)
        assert shown.workbench.deleted == [] and not shown.deleted_sessions  # type: ignore[attr-defined]


async def test_a_session_that_is_open_elsewhere_is_not_asked_about() -> None:
    shown = SelfHealApp(FakeWorkbench(rows=[row("busy", "running", driver="process 7 on here")]))  # type: ignore[arg-type]
    async with shown.run_test(size=(80, 24)) as pilot:
        await until_listed(pilot, 1)
        await pilot.press("x")
        assert not shown.screen.query_one(InlinePrompt).is_open
        assert "process 7 on here" in [note.message for note in shown._notifications][-1]


async def test_renaming_starts_from_the_title_there_is() -> None:
    shown = app()
    async with shown.run_test(size=(80, 24)) as pilot:
        table = await until_listed(pilot, 3)
        await pilot.press("c", *" x", "enter")
        await settle(pilot)
        assert shown.workbench.renamed == [("s2", "bank x")]  # type: ignore[attr-defined]
        assert str(table.get_row_at(0)[0]) == "bank x"


async def test_many_sessions_come_in_steps_and_the_cursor_stays() -> None:
    rows = [row(f"s{n:03}", "healed", f"title {n}") for n in range(230)]
    shown = SelfHealApp(FakeWorkbench(rows=rows))  # type: ignore[arg-type]
    async with shown.run_test(size=(80, 24)) as pilot:
        table = await until_listed(pilot, 230)
        await pilot.press("down", "down")
        await pilot.press("R")
        await settle(pilot)
        assert table.cursor_row == 2


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
        await pilot.press("x", "c", "u", "slash")
        assert shown.screen is screen and not screen.query_one("#filter", Input).value
        await pilot.press("d")
        for _ in range(200):
            if isinstance(shown.screen, DemosScreen) and shown.screen.query_one(ChoiceList).highlighted == 0:
                break
            await pilot.pause(0.01)
        assert shown.screen.query_one(ChoiceList).highlighted == 0, "enter starts the first one"


async def test_a_terminal_that_shows_nothing_deletes_nothing() -> None:
    shown = app()
    async with shown.run_test(size=(50, 12)) as pilot:
        await until_listed(pilot, 3)
        await pilot.press("x", "c", "d", "n")
        await settle(pilot)
        assert shown.workbench.deleted == []  # type: ignore[attr-defined]
        assert [type(child).__name__ for child in shown.screen.children if child.display] == ["TooSmall"]


def test_what_needs_somebody_comes_before_what_is_newer() -> None:
    found = [row("a", "healed"), row("b", "failed"), row("c", "running"), row("d", "waiting", "t", "repair")]
    assert [r.session_id for r in ordered(found)] == ["d", "c", "b", "a"]
    assert state_words(found[2]) == ("‖", "unfinished", "$text-warning")


def test_every_word_of_a_filter_counts() -> None:
    found = [row("a", "healed", "Bank"), row("b", "healed", "bank two"), row("c", "waiting", "bank", "repair")]
    assert [r.session_id for r in matching(found, "BANK heal")] == ["a", "b"]
    assert [r.session_id for r in matching(found, "waits")] == ["c"]


@pytest.mark.parametrize(
    ("calls", "tokens", "cost", "words"),
    [(0, 0, 0.0, "–"), (2, 900, 0.0, "900 · $0.00"), (3, 12_345, 0.121, "12.3k · $0.12"), (1, 10, None, "10 · $ ?")],
)
def test_an_unknown_price_is_never_shown_as_nothing(calls: int, tokens: int, cost: float | None, words: str) -> None:
    assert spent_cell(replace(row("a", "healed"), calls=calls, tokens=tokens, cost_usd=cost)) == words


def test_a_failed_session_says_what_failed_why_and_which_key_goes_on() -> None:
    failed = replace(row("a", "failed"), failure="model", reason="Anthropic refused the key (401).")
    assert state_words(failed)[:2] == ("!", "failed: model")
    assert "enter tries again, m there takes another model · Anthropic refused the key (401)." in about(failed)
    assert state_words(row("b", "failed"))[1] == "failed", "of a session of before"


def test_sessions_of_several_projects_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.chdir(tmp_path)
    now = datetime(2026, 1, 2, 12, tzinfo=UTC)
    folders = ("/home/me/shop", str(tmp_path), "", "/srv/projects/of/a/very/long/name/\x1b[31mbank")
    rows = [replace(row("a", "healed"), folder=folder) for folder in folders]
    assert [str(cell(one, "folder", now)) for one in rows[:3]] == ["~/shop", "here", "–"]
    last = str(cell(rows[3], "folder", now))
    assert last.startswith("…") and last.endswith("bank") and len(last) == 24 and "\x1b" not in last
    assert ["from " in about(one) for one in rows] == [True, False, False, True]
    assert matching(rows, "shop") == rows[:1]
    assert "folder" in [name for name, _, _ in columns_at(140)]


@pytest.mark.parametrize("width", [60, 80, 140, 200])
def test_the_columns_fit(width: int) -> None:
    assert sum(cells + 2 for _, _, cells in columns_at(width)) <= width - 4
    assert columns_at(width)[0][2] >= 16


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


async def test_the_list_follows_what_others_do_and_keeps_the_cursor() -> None:
    workbench = FakeWorkbench(
        rows=[row(f"s{n:02}", "healed", updated_at=f"2026-01-01T00:00:{59 - n:02}Z") for n in range(40)]
    )
    shown = SelfHealApp(workbench)  # type: ignore[arg-type]
    async with shown.run_test(size=(80, 24)) as pilot:
        table = await until_listed(pilot, 40)
        screen = shown.screen
        assert isinstance(screen, SessionsScreen)

        async def follow() -> None:
            screen._read_at = 0.0  # due, however long the last look took
            screen._follow()
            await settle(pilot)

        now = datetime.now(UTC).isoformat()
        workbench.rows.append(row("new", "running", updated_at=now))
        await follow()
        assert ids(table)[0] == "new" and table.cursor_row == 1, "the cursor stays on its session"
        workbench.rows[-1] = row("new", "running", updated_at=now, driver="process 7 on here")
        await follow()
        assert str(table.get_row("new")[1]) == "▸ open elsewhere" and str(table.get_row("new")[2]) == "just now"
        workbench.rows[-1] = row("new", "healed", updated_at="2026-01-01T00:00:00Z")
        await pilot.press("ctrl+end")
        await settle(pilot)
        at, top = ids(table)[table.cursor_row], table.scroll_offset.y
        del workbench.rows[0]
        await follow()
        assert "open elsewhere" not in str(table.get_row("new")[1])
        assert ids(table)[table.cursor_row] == at and abs(table.scroll_offset.y - top) <= 1


async def test_the_list_is_read_again_when_it_is_shown_again() -> None:
    workbench = FakeWorkbench(rows=list(ROWS))
    shown = SelfHealApp(workbench)  # type: ignore[arg-type]
    async with shown.run_test(size=(80, 24)) as pilot:
        table = await until_listed(pilot, 3)
        await pilot.press("question_mark")
        workbench.rows.append(row("s9", "healed"))
        await pilot.press("escape")
        await until_listed(pilot, 4)
        assert "s9" in ids(table)


async def test_what_stays_the_same_is_not_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = app()
    async with shown.run_test(size=(80, 24)) as pilot:
        table = await until_listed(pilot, 3)
        drawn: list[object] = []
        monkeypatch.setattr(table, "update_cell", lambda *cell: drawn.append(cell))
        monkeypatch.setattr(table, "clear", lambda **_: drawn.append("all"))
        assert isinstance(shown.screen, SessionsScreen)
        shown.screen._follow()
        await settle(pilot)
        assert drawn == []


async def test_what_was_left_out_of_a_session_is_a_notice_once() -> None:
    words = "left out: a.py is not UTF-8 text (line 1)."
    shown = SelfHealApp(FakeWorkbench(rows=ROWS[:1]), notice=words)  # type: ignore[arg-type]
    async with shown.run_test() as pilot:
        await settle(pilot)
        assert [one.message for one in shown._notifications] == [words]
