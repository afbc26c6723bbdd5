"""Taking deleted branches off disk: one transaction under the session's lock, then the disk is freed."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.store.acts import PURGE, new_act
from selfheal_tui.store.history import ROWS_SQL, checkpoint_facts
from selfheal_tui.store.marks import DELETED, HIDE, MARKS
from selfheal_tui.store.sent import NO_CALL
from selfheal_tui.store.session_db import store_error
from selfheal_tui.store.sessions import DB_NAME
from selfheal_tui.text import plural

MAIN = "main"


@dataclass(frozen=True, slots=True)
class Removed:
    """What a removal took away."""

    checkpoints: int
    bodies: int
    freed_bytes: int
    """On disk."""


def check_deletable(folder: Path, name: str, marked: Collection[str] = ()) -> str:
    """Check that nothing needs a branch but what is marked as deleted too; return the branch that it starts from.

    Raises: InputError when something does; SessionError when the session is damaged.
    """
    from .check import unnamed_bodies

    with _connected(folder) as connection:
        branches = _branches(connection)
        origin = _check(connection, branches, name, marked)
        unnamed_bodies(connection, folder.name)  # where a moment cannot be read nobody knows what it names
        return origin


def purge(folder: Path) -> Removed:
    """Remove the branches that are marked as deleted, and what only they named; free the disk.

    Paid replies stay, and so does what left this machine for a call that is gone.

    The caller holds the session's lock and is done writing.
    """
    from .check import unnamed_bodies

    path = folder / DB_NAME
    with _connected(folder) as connection:
        rows = connection.execute("select substr(key, ?) from meta where key like ? and value=?", _marked()).fetchall()
        branches = _branches(connection) if rows else {}
        names = _unneeded(connection, branches, [str(name) for (name,) in rows if name in branches])
        if not names:
            return Removed(0, 0, 0)
        before = path.stat().st_size
        connection.execute("begin immediate")
        own = [checkpoint_id for name in names for checkpoint_id in branches[name]]
        for table, column in (
            ("checkpoints", "checkpoint_id"),
            ("writes", "checkpoint_id"),
            ("decision", "asked_at"),
            ("call_use", "asked_at"),
        ):
            connection.executemany(f"delete from {table} where {column}=?", [(i,) for i in own])
        for name in names:
            for table in ("decision", "program", "call_use"):
                connection.execute(f"delete from {table} where branch=?", (name,))
            connection.execute("update sent set number=? where branch=?", (NO_CALL, name))
            connection.executemany("delete from meta where key=?", [(prefix + name,) for prefix in MARKS])
        connection.execute(*new_act(PURGE, {"purged": names}))
        unnamed = unnamed_bodies(connection, folder.name)
        connection.executemany("delete from blob where ref=?", [(ref,) for ref in unnamed])
        connection.commit()
        connection.execute("vacuum")
        connection.execute("pragma wal_checkpoint(truncate)")
        return Removed(len(own), len(unnamed), before - path.stat().st_size)


def _unneeded(connection: sqlite3.Connection, branches: dict[str, list[str]], names: list[str]) -> list[str]:
    """Leave out what a branch that stays starts from: it was forked, or brought back, after the deletion."""
    parents = connection.execute("select checkpoint_id, parent_checkpoint_id from checkpoints").fetchall()
    while True:
        going = {i for name in names for i in branches[name]}
        needed = {parent for i, parent in parents if i not in going} & going
        if not needed:
            return names
        names = [name for name in names if not needed & set(branches[name])]


def _marked() -> tuple[int, str, str]:
    return len(HIDE) + 1, f"{HIDE}%", DELETED


def _check(connection: sqlite3.Connection, branches: dict[str, list[str]], name: str, marked: Collection[str]) -> str:
    if name == MAIN or name == next(iter(branches)):
        raise InputError(f"Branch {name!r} is where the session began.", "Delete the session: selfheal sessions delete")
    own = set(branches[name])
    rows = connection.execute("select checkpoint_id, parent_checkpoint_id from checkpoints").fetchall()
    after = {i for i, parent in rows if parent in own and i not in own}
    names = sorted(other for other, ids in branches.items() if after & set(ids) and other not in marked)
    if names:
        raise InputError(
            f"{plural(len(names), 'branch starts', 'branches start')} from {name!r}: {', '.join(names)}.",
            "Delete those first.",
        )
    waiting = connection.execute("select asked_at, branch from decision where done=0").fetchall()
    if any(branch == name or asked_at in own for asked_at, branch in waiting):
        raise InputError(
            f"A decision on {name!r} has not taken effect yet.", "Let it: selfheal resume SESSION --headless"
        )
    starts = {parent for i, parent in rows if i in own and parent not in own}
    return next((other for other, ids in branches.items() if starts & set(ids)), MAIN)


def _branches(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return branch -> ids of its checkpoints, in the order they were written."""
    if not connection.execute("select 1 from sqlite_master where name='checkpoints'").fetchone():
        return {}
    found: dict[str, list[str]] = {}
    for fact in checkpoint_facts(connection.execute(ROWS_SQL.format(where="")).fetchall()):
        found.setdefault(str(fact.get("branch", MAIN)), []).append(fact["checkpoint_id"])
    return found


@contextmanager
def _connected(folder: Path) -> Iterator[sqlite3.Connection]:
    path = folder / DB_NAME
    try:
        uri = f"{path.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, timeout=5, isolation_level=None)) as connection:
            yield connection
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise store_error(path, error) from error
