"""Taking branches off disk: what removal asks of a session's file, and the one transaction that does it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from .acts import PURGE, new_act
from .history import MAIN, ROWS_SQL, checkpoint_facts
from .marks import DELETED, HIDE, MARKS, UNSENT
from .schema import DERIVED
from .sent import NO_CALL
from .session_db import store_error


@contextmanager
def open_to_remove(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a session's file, whose lock the caller holds. Raises: SessionError."""
    try:
        uri = f"{path.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, timeout=5, isolation_level=None)) as connection:
            yield connection
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise store_error(path, error) from error


def read_branches(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return branch -> ids of its checkpoints, in the order they were written. Raises: SessionError."""
    if not connection.execute("select 1 from sqlite_master where name='checkpoints'").fetchone():
        return {}
    branches: dict[str, list[str]] = {}
    for facts in checkpoint_facts(connection.execute(ROWS_SQL).fetchall()):
        branches.setdefault(str(facts.get("branch", MAIN)), []).append(facts["checkpoint_id"])
    return branches


def read_parents(connection: sqlite3.Connection) -> dict[str, str | None]:
    """Return checkpoint id -> id of the one before it."""
    return dict(connection.execute("select checkpoint_id, parent_checkpoint_id from checkpoints").fetchall())


def read_open_decisions(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the checkpoint that asked, and the branch, of each decision that has not taken effect."""
    return connection.execute("select asked_at, branch from decision where done=0").fetchall()


def read_deleted(connection: sqlite3.Connection) -> list[str]:
    """Return the branches that are marked as deleted."""
    sql = "select substr(key, ?) from meta where key like ? and value=?"
    return [str(name) for (name,) in connection.execute(sql, (len(HIDE) + 1, f"{HIDE}%", DELETED))]


def remove_branches(
    connection: sqlite3.Connection,
    branches: Mapping[str, Collection[str]],
    find_unnamed: Callable[[sqlite3.Connection], Collection[str]],
) -> int:
    """Remove branches (name -> ids of their checkpoints), then the bodies that only they named, and free the disk.

    `find_unnamed` returns the refs of bodies that nothing names, once the branches are gone. Return how many bodies
    went. Paid replies stay, and so does what left this machine for a call that is gone.
    """
    connection.execute("begin immediate")
    # One pass over each table: LangGraph's have no index by which a checkpoint alone is found.
    connection.execute("create temp table going(id text primary key)")
    own = [(checkpoint_id,) for ids in branches.values() for checkpoint_id in ids]
    connection.executemany("insert or ignore into going values(?)", own)
    for table, column in (
        ("checkpoints", "checkpoint_id"),
        ("writes", "checkpoint_id"),
        ("decision", "asked_at"),
        ("call_use", "asked_at"),
    ):
        connection.execute(f"delete from {table} where {column} in (select id from going)")
    for prefix in UNSENT:
        connection.execute("delete from meta where key in (select ? || id from going)", (prefix,))
    for name in branches:
        for table in ("decision", "program", "call_use"):
            connection.execute(f"delete from {table} where branch=?", (name,))
        connection.execute("update sent set number=? where branch=?", (NO_CALL, name))
        connection.executemany("delete from meta where key=?", [(prefix + name,) for prefix in MARKS])
    for table in DERIVED:
        connection.execute(f"delete from {table}")
    connection.execute(*new_act(PURGE, {"purged": list(branches)}))
    unnamed = find_unnamed(connection)
    connection.executemany("delete from blob where ref=?", [(ref,) for ref in unnamed])
    connection.commit()
    connection.execute("vacuum")
    connection.execute("pragma wal_checkpoint(truncate)")
    return len(unnamed)
