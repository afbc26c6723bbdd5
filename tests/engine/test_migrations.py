"""Sessions of an earlier store: they open, are listed, checked and run on; unknown versions are refused by a sentence.

`data/store-3.db.xz` was written by the last selfheal with store 3: one repair approved on main, which asks about the
next diagnosis; a fork `second` with other feedback, which asks about its repair.
"""

from __future__ import annotations

import json
import lzma
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.cli import main
from selfheal_tui.engine.history.check import check_session
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import SessionBusy
from selfheal_tui.store import migrations
from selfheal_tui.store.lock import Holder
from selfheal_tui.store.migrations import migrate
from selfheal_tui.store.schema import SCHEMA_VERSION

from .driving import DIAGNOSIS, FIXED, repair_reply, script, to_end

SESSION = "20261121-222106-shop-6ccd"
OLD = Path(__file__).parent / "data" / "store-3.db.xz"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Put the old session where the workbench of the test looks."""
    folder = tmp_path / "sessions" / SESSION
    folder.mkdir(parents=True)
    (folder / "session.db").write_bytes(lzma.decompress(OLD.read_bytes()))
    return folder / "session.db"


def rows(file: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(sql).fetchall()


def version(file: Path) -> str:
    return str(rows(file, "select value from meta where key='schema_version'")[0][0])


def change(file: Path, sql: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(sql)
        connection.commit()


async def test_an_old_session_is_listed_checked_and_runs_on(
    workbench: Workbench, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    script(Path("m.yaml"), {"role": "debugger", "reply": DIAGNOSIS}, {"role": "repairer", "reply": repair_reply(FIXED)})
    before = file.read_bytes()
    assert [(row.outcome, row.waiting_for, row.branches) for row in workbench.list_sessions()] == [
        ("waiting", "repair", 2)
    ]
    old = check_session(file.parent)
    assert old["sound"] and old["whole"] == old["checkpoints"] == 19
    assert file.read_bytes() == before and version(file) == "3", "a look migrates nothing"

    async with workbench.open_session(SESSION) as session:
        assert version(file) == str(SCHEMA_VERSION)
        timeline = await session.timeline()
        assert len(timeline.checkpoints) == 19
        asked = {timeline.checkpoints[b.head].branch: timeline.checkpoints[b.head] for b in timeline.branches.values()}
        assert (asked["main"].pending, asked["second"].pending) == ("diagnosis", "repair")
        for checkpoint in timeline:
            assert (await session.snapshot(checkpoint.id)).title == "shop"
        used = await session.usage()
        assert {row["branch"] for row in used} == {""} and sum(row["calls"] for row in used) == 5
        prompts = [call["prompt"] for call in await session.calls()]
        assert len(prompts) == 5 and all("def total(prices, discount)" in prompt for prompt in prompts)
        done = await to_end(session.decide(asked["second"].id, review.approve()))
        assert done.snapshot.outcome == "healed" and dict(done.snapshot.program) == {"shop.py": FIXED}
        # The question on main, asked before the migration, is answered as if nothing had happened.
        other = [event async for event in session.decide(asked["main"].id, review.approve())][-1]
        assert getattr(other, "kind", "") == "repair"
    now = check_session(file.parent)
    assert now["sound"] and now["orphans"] == 0


def test_what_no_moment_needs_is_dropped_and_what_waits_is_kept(file: Path) -> None:
    kept = rows(file, "select checkpoint_id, task_id, value from writes where channel='__interrupt__' order by 1, 2")
    states = rows(file, "select checkpoint_id, type, checkpoint, metadata from checkpoints order by rowid")
    migrate(file)
    left = rows(file, "select distinct channel from writes order by 1")
    assert ("__interrupt__",) in left and ("branch:to:plan",) not in left
    assert (
        rows(file, "select checkpoint_id, task_id, value from writes where channel='__interrupt__' order by 1, 2")
        == kept
    )
    assert rows(file, "select checkpoint_id, type, checkpoint, metadata from checkpoints order by rowid") == states
    assert {row[0] for row in rows(file, "select typeof(prompt) from call")} == {"blob"}
    before = file.read_bytes()
    migrate(file)
    assert file.read_bytes() == before, "once is enough"


def test_a_crash_within_a_migration_leaves_the_old_version(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = rows(file, "select count(*) from writes")

    def broken(connection: sqlite3.Connection) -> None:
        migrations._from_3(connection)
        connection.execute("update no_such_table set x=1")

    monkeypatch.setitem(migrations._STEPS, 3, broken)
    with pytest.raises(sqlite3.OperationalError):
        migrate(file)
    assert version(file) == "3" and rows(file, "select count(*) from writes") == before


def test_a_session_that_never_ran_is_migrated_too(file: Path) -> None:
    change(file, "drop table checkpoints")
    change(file, "drop table writes")
    migrate(file)
    assert version(file) == str(SCHEMA_VERSION)


async def test_a_branch_of_an_old_session_is_renamed(file: Path) -> None:
    bench = Workbench(file.parent.parent)
    async with bench.open_session(file.parent.name) as session:
        await session.branches.rename("second", "other")
    await bench.aclose()
    assert version(file) == str(SCHEMA_VERSION)
    assert check_session(file.parent)["sound"]


def test_a_session_driven_by_an_earlier_selfheal_is_left_alone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrations, "driver_of", lambda folder: Holder(1, "here", ""))
    with pytest.raises(SessionBusy, match="earlier version of selfheal"):
        migrate(file)
    assert version(file) == "3"


@pytest.mark.parametrize("command", [("show",), ("export",), ("decide", "approve"), ("branch", "note", "main", "x")])
@pytest.mark.parametrize("written", ["2", "5", "next"])
def test_an_unknown_store_is_refused_by_a_sentence(
    file: Path, command: tuple[str, ...], written: str, capsys: pytest.CaptureFixture[str]
) -> None:
    change(file, f"update meta set value='{written}' where key='schema_version'")
    before = file.read_bytes()
    place = ("--sessions", str(file.parent.parent))
    words = (command[0], SESSION, *command[1:])
    assert main(["sessions", *words, *place]) == 6
    assert f"another version of selfheal (store {written}, here {SCHEMA_VERSION})" in capsys.readouterr().err
    assert file.read_bytes() == before


@pytest.mark.parametrize("key", ["schema_version", "initial"])
def test_a_check_tells_another_version_from_damage(file: Path, key: str, capsys: pytest.CaptureFixture[str]) -> None:
    written = '{"graph_version": 99}' if key == "initial" else "99"
    change(file, f"update meta set value='{written}' where key='{key}'")
    assert main(["sessions", "check", SESSION, "--sessions", str(file.parent.parent)]) == 6
    told = capsys.readouterr().out
    assert "of another version, not looked into" in told and "99, here" in told and "DAMAGED" not in told
    report = check_session(file.parent)
    assert report["other_version"] and not report["sound"]


@pytest.mark.parametrize("command", [("sessions", "show"), ("sessions", "check"), ("sessions", "export"), ("resume",)])
def test_another_graph_is_refused_and_never_finished(
    file: Path, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """A node that was renamed would make a paused run look as if it had ended."""
    initial = json.loads(rows(file, "select value from meta where key='initial'")[0][0])
    changed = json.dumps({**initial, "graph_version": 99}).replace("'", "''")
    change(file, f"update meta set value='{changed}' where key='initial'")
    flags = ("--headless",) if command == ("resume",) else ()
    assert main([*command, SESSION, *flags, "--sessions", str(file.parent.parent)]) == 6
    told = capsys.readouterr()
    assert "graph 99" in told.err + told.out and "version" in told.err + told.out
    assert "healed" not in told.out and "finished" not in told.out
