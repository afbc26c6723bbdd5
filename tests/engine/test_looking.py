"""Looking at sessions changes nothing, and a session of another version is listed as that."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from selfheal_tui.engine.history.check import check_session
from selfheal_tui.engine.session.workbench import RunOptions, Workbench
from selfheal_tui.engine.task.demos import load_demo
from selfheal_tui.errors import SessionError
from selfheal_tui.store.session_db import open_db
from selfheal_tui.store.sessions import DB_NAME

from .driving import ANSWERS, options, script, shop_task, to_review


@pytest.fixture
async def folder(workbench: Workbench) -> Path:
    return workbench.store.folder(await workbench.create(load_demo("intervals"), RunOptions()))


def change(folder: Path, sql: str, value: str) -> None:
    with closing(sqlite3.connect(folder / DB_NAME)) as connection, connection:
        connection.execute(sql, (value,))


@pytest.mark.parametrize("way", ["look", "drive", "check", "list"])
async def test_an_empty_file_stays_empty(workbench: Workbench, folder: Path, way: str) -> None:
    for file in folder.iterdir():
        file.unlink()
    (folder / DB_NAME).touch()
    if way == "check":
        assert not check_session(folder)["sound"]
    elif way == "list":
        assert workbench.list_sessions()[0].outcome == "damaged"
    else:
        opened = workbench.watch_session if way == "look" else workbench.open_session
        with pytest.raises(SessionError, match="holds no session"):
            async with opened(folder.name):
                pass
    assert (folder / DB_NAME).read_bytes() == b""
    assert {file.name for file in folder.iterdir()} <= {DB_NAME, "lock"}


async def test_a_session_of_a_later_store_is_listed_as_that(workbench: Workbench, folder: Path) -> None:
    change(folder, "update meta set value=? where key='schema_version'", "99")
    (row,) = workbench.list_sessions()
    assert (row.outcome, row.title) == ("other_version", "Merge overlapping intervals")
    assert "store 99" in row.reason


async def test_a_session_of_another_graph_is_listed_as_that(workbench: Workbench, folder: Path) -> None:
    with closing(sqlite3.connect(folder / DB_NAME)) as connection:
        initial = json.loads(connection.execute("select value from meta where key='initial'").fetchone()[0])
    change(folder, "update meta set value=? where key='initial'", json.dumps({**initial, "graph_version": 99}))
    (row,) = workbench.list_sessions()
    assert (row.outcome, "graph 99" in row.reason) == ("other_version", True)


async def test_a_file_is_checked_once_until_somebody_else_wrote_it(
    workbench: Workbench, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[Path] = []
    monkeypatch.setattr("selfheal_tui.engine.history.check.check_whole", checked.append)

    async def opened() -> int:
        async with workbench.open_session(folder.name):
            return len(checked)

    assert [await opened() for _ in range(3)] == [1, 1, 1]
    change(folder, "update meta set value=? where key='title'", "Another title")
    assert [await opened(), await opened()] == [2, 2]


async def test_a_copy_without_the_journal_holds_all_up_to_the_question_that_waits(
    workbench: Workbench, tmp_path: Path
) -> None:
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "m.yaml", *ANSWERS)))
    folder = workbench.store.folder(session_id)
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        (folder.parent / "copy").mkdir()
        shutil.copyfile(folder / DB_NAME, folder.parent / "copy" / DB_NAME)
        assert (folder / f"{DB_NAME}-wal").stat().st_size, "the journal is what the copy lacks"
    async with workbench.open_session("copy") as copy:
        assert (await to_review(copy.resume())).checkpoint_id == asked.checkpoint_id


async def test_a_rest_beside_somebody_who_reads_is_no_failure(folder: Path) -> None:
    async with open_db(folder / DB_NAME) as db:
        await db.set_meta("title", "Another")
        async with db.connection.execute("select * from meta") as half_read:
            await half_read.fetchone()
            await db.fold_in()
        assert await db.get_meta("title") == "Another"
