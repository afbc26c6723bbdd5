"""What we rely on in LangGraph's SQLite saver and in SQLite; what fails after an upgrade names the code to change."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from selfheal_tui.errors import SessionError
from selfheal_tui.store.blobs import Blobs
from selfheal_tui.store.history import ROWS_SQL, checkpoint_facts
from selfheal_tui.store.saver import SessionSaver
from selfheal_tui.store.serde import StateSerde
from selfheal_tui.store.session_db import SessionDB, open_db

HERE: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}, "metadata": {"branch": "main"}}


@asynccontextmanager
async def ours(tmp_path: Path) -> AsyncIterator[tuple[SessionSaver, SessionDB]]:
    async with open_db(tmp_path / "x.db", create=True) as db:
        saver = SessionSaver(db)
        await saver.setup()
        yield saver, db


async def put(saver: AsyncSqliteSaver, parent: Any = HERE, branch: str = "main", **values: Any) -> Any:
    """Save a checkpoint after `parent`; return its config."""
    checkpoint = {**empty_checkpoint(), "channel_values": {"node": "plan", **values}}
    saved = await saver.aput({**parent, "metadata": {"branch": branch}}, checkpoint, {"step": 1}, {})  # type: ignore[arg-type, typeddict-item]
    return {**saved, "metadata": {"branch": branch}}


async def pending(saver: AsyncSqliteSaver, at: Any) -> list[str]:
    saved = await saver.aget_tuple(at)
    assert saved is not None
    return [channel for _, channel, _ in saved.pending_writes or ()]


async def test_a_cancelled_write_leaves_no_transaction_open(tmp_path: Path) -> None:
    """LangGraph's may (15 of 657), and would lock every other writer out: ours runs to its end first."""
    async with ours(tmp_path) as (saver, db):
        for turns in range(12):
            checkpoint: Any = {**empty_checkpoint(), "channel_values": {"n": turns}}
            work = asyncio.create_task(saver.aput(HERE, checkpoint, {}, {}))
            for _ in range(turns):
                await asyncio.sleep(0)
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            assert not db.connection.in_transaction
            with closing(sqlite3.connect(db.path, timeout=0)) as other:
                other.execute("begin immediate")


async def test_results_are_dropped_once_the_branch_has_gone_on(tmp_path: Path) -> None:
    """They are half of a file; LangGraph reads them only where nothing follows (a fork runs its nodes afresh)."""
    async with ours(tmp_path) as (saver, _):
        first = await put(saver)
        await saver.aput_writes(first, [("n", 1), ("__interrupt__", "?")], "task")
        await put(saver, first, branch="other")
        assert sorted(await pending(saver, first)) == ["__interrupt__", "n"], "a fork uses nothing up"
        await put(saver, first)
        assert await pending(saver, first) == ["__interrupt__"], "the question stays"


async def test_flat_metadata_is_stored_with_every_checkpoint(tmp_path: Path) -> None:
    """The timeline is drawn from it by plain SQL (store/history.py)."""
    async with ours(tmp_path) as (saver, db):
        first = await put(saver, node="plan", iteration=3, **{"branch:to:rank": None})
        await put(saver, first, branch="other", node="rank")
        facts = checkpoint_facts(await db.rows(ROWS_SQL.format(where="")))
        assert [(f["node"], f["branch"], f["next"], f["iteration"]) for f in facts] == [
            ("plan", "main", "rank", 3),
            ("rank", "other", "", 0),
        ]
        assert facts[1]["parent_id"] == facts[0]["checkpoint_id"]


async def test_listing_through_langgraph_holds_the_savers_lock(tmp_path: Path) -> None:
    """Any other call of the saver inside the loop would wait for ever: history is read by SQL of our own."""
    async with open_db(tmp_path / "x.db", create=True) as db:
        saver = AsyncSqliteSaver(db.connection)
        await put(saver)
        async for _ in saver.alist(HERE):
            assert saver.lock.locked()


async def test_one_cut_state_breaks_the_whole_list_but_not_ours(tmp_path: Path) -> None:
    """Why the tree does not go through LangGraph: the other moments can still be looked at."""
    async with ours(tmp_path) as (saver, db):
        first = await put(saver, n=1, text="x" * 900)
        await put(saver, first, n=2)
        await db.write("update checkpoints set checkpoint=substr(checkpoint, 1, 9) where rowid=1")
        with pytest.raises(ValueError):
            assert [one async for one in saver.alist(HERE)]
        assert len(checkpoint_facts(await db.rows(ROWS_SQL.format(where="")))) == 2
        with pytest.raises(SessionError, match="cannot be read"):
            await saver.aget_tuple(first)


class Colour(Enum):
    RED = "red"


@dataclass
class Point:
    x: int


@pytest.mark.parametrize("value", [Point(1), Colour.RED, (1, 2), ("a",)])
def test_only_plain_json_comes_back_as_it_was(value: Any) -> None:
    """Why the state holds plain JSON only: under strict types a file makes no object of a class."""
    serde = StateSerde()
    back = serde.loads_typed(serde.dumps_typed({"value": value}))["value"]
    assert type(back) is not type(value)
    plain = {"text": "x", "list": [1, None, True, 0.5], "map": {"a": {}}}
    assert serde.loads_typed(serde.dumps_typed(plain)) == plain


async def test_deleting_frees_no_disk_without_a_vacuum(tmp_path: Path) -> None:
    """Why a deleted branch is followed by one (engine/history/removal.py)."""
    async with ours(tmp_path) as (saver, db):
        at = HERE
        for number in range(400):
            at = await put(saver, at, n=number, text=f"{number:064x}" * 60)
        await db.rows("pragma wal_checkpoint(truncate)")
        full = db.path.stat().st_size
        await saver.adelete_thread("t")
        await db.rows("pragma wal_checkpoint(truncate)")
        assert db.path.stat().st_size == full
        await db.connection.execute("vacuum")
        await db.rows("pragma wal_checkpoint(truncate)")
        assert db.path.stat().st_size < full / 2


async def test_a_lock_of_somebody_else_is_told_after_the_timeout(tmp_path: Path) -> None:
    """Why the connection waits 30 s, and the screen never writes."""
    async with open_db(tmp_path / "x.db", create=True) as db:
        with closing(sqlite3.connect(db.path, timeout=0, isolation_level=None)) as other:
            other.execute("begin immediate")
            await db.connection.execute("pragma busy_timeout=0")
            with pytest.raises(SessionError, match="holds a lock"):
                await db.set_meta("a", "b")
            other.execute("rollback")
        await db.set_meta("a", "b")


async def test_sqlite_does_not_see_a_zeroed_page_of_a_body_and_we_do(tmp_path: Path) -> None:
    """Why a body is hashed whenever it is read."""
    path = tmp_path / "x.db"
    async with open_db(path, create=True) as db:
        ref = await Blobs(db).put_text("".join(f"{n:x}" for n in range(20_000)))
    data = path.read_bytes()
    async with open_db(path) as db:
        ((body,),) = await db.rows("select body from blob")
    page = next(at for at in range(0, len(data), 4096) if data[at + 4 : at + 4096] in body)
    path.write_bytes(data[: page + 4] + bytes(4092) + data[page + 4096 :])
    async with open_db(path) as db:
        assert await db.rows("pragma integrity_check") == [("ok",)]
        with pytest.raises(SessionError, match="missing or altered"):
            await Blobs(db).get_text(ref)
