"""The list of sessions on disk: renaming, what was spent, and deleting so that it can be undone."""

from __future__ import annotations

import os
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from selfheal_tui.engine.session.workbench import RunOptions, Workbench
from selfheal_tui.engine.task.demos import load_demo
from selfheal_tui.errors import InputError, SessionBusy
from selfheal_tui.store.lock import open_driver_lock
from selfheal_tui.store.trash import FOLDER


async def made(home: Path) -> tuple[Workbench, str]:
    workbench = Workbench(home)
    return workbench, await workbench.create(load_demo("intervals"), RunOptions())


async def test_a_deleted_session_comes_back_whole_until_the_workbench_is_closed(tmp_path: Path) -> None:
    workbench, session_id = await made(tmp_path)
    before = (tmp_path / session_id / "session.db").read_bytes()
    await workbench.trash_session(session_id)
    assert workbench.session_ids() == []
    await workbench.restore_session(session_id)
    assert (tmp_path / session_id / "session.db").read_bytes() == before
    await workbench.trash_session(session_id)
    await workbench.aclose()
    assert list(tmp_path.glob(f"{FOLDER}*")) == []


async def test_a_session_with_a_driver_is_neither_deleted_nor_renamed(tmp_path: Path) -> None:
    workbench, session_id = await made(tmp_path)
    with open_driver_lock(tmp_path / session_id):
        with pytest.raises(SessionBusy):
            await workbench.trash_session(session_id)
        with pytest.raises(SessionBusy):
            await workbench.rename_session(session_id, "other")
        assert f"process {os.getpid()}" in workbench.session_rows([session_id])[0].driver
    assert workbench.session_rows([session_id])[0].driver == ""


async def test_what_others_deleted_stays_and_what_a_killed_one_left_goes(tmp_path: Path) -> None:
    workbench, _ = await made(tmp_path)
    host = socket.gethostname()
    for name in (f"{os.getppid()}@{host}", f"4194399@{host}", "7@elsewhere"):
        (tmp_path / FOLDER / name / "s1").mkdir(parents=True)
    await workbench.aclose()
    assert sorted(p.name for p in (tmp_path / FOLDER).iterdir()) == sorted([f"{os.getppid()}@{host}", "7@elsewhere"])


async def test_a_new_title_is_in_the_list_and_in_the_session(tmp_path: Path) -> None:
    workbench, session_id = await made(tmp_path)
    await workbench.rename_session(session_id, "  two\nlines \x1b[31m")
    assert workbench.list_sessions()[0].title == "two lines"
    async with workbench.open_session(session_id) as session:
        assert session.title == "two lines"
        assert await session.branches.undo_words() == "the change of its title to 'two lines'"
        await session.branches.undo()
    assert workbench.list_sessions()[0].title != "two lines"
    async with workbench.open_session(session_id) as session:
        await session.branches.redo()
    assert workbench.list_sessions()[0].title == "two lines"
    with pytest.raises(InputError, match="title"):
        await workbench.rename_session(session_id, " \n")
    await workbench.aclose()


async def test_what_was_spent_is_summed_over_branches_and_an_unknown_price_stays_unknown(tmp_path: Path) -> None:
    workbench, session_id = await made(tmp_path)
    columns = "branch, node, role, model, runs, time_s, calls, replayed_calls, input_tokens, output_tokens, cost_usd"
    columns += ", unpriced_calls, retries, degraded"
    rows = [
        ("main", "diagnose", "", "", 3, 1.0, 0, 0, 0, 0, 0.0, 0, 0, 0),
        ("main", "diagnose", "debugger", "a:b", 2, 1.0, 2, 1, 100, 20, 0.25, 0, 0, 0),
        ("other", "propose", "repairer", "a:b", 1, 1.0, 1, 0, 10, 5, 0.25, 0, 0, 0),
    ]

    def write(values: list[tuple[object, ...]]) -> None:
        with closing(sqlite3.connect(tmp_path / session_id / "session.db")) as connection, connection:
            connection.executemany(f"insert into usage({columns}) values({','.join('?' * 14)})", values)

    write(list(rows))
    row = workbench.list_sessions()[0]
    assert (row.calls, row.tokens, row.cost_usd) == (3, 135, 0.5)
    write([("main", "learn", "summarizer", "c:d", 1, 1.0, 1, 0, 1, 1, 0.0, 1, 0, 0)])
    row = workbench.list_sessions()[0]
    assert (row.calls, row.cost_usd) == (4, None)


async def test_a_session_that_vanishes_while_it_is_listed_is_left_out(tmp_path: Path) -> None:
    workbench, session_id = await made(tmp_path)
    assert [row.session_id for row in workbench.session_rows(["gone", session_id])] == [session_id]
