"""Naming, noting and deleting branches: the only changes to what is saved, each one transaction under the lock.

A name lies in the facts of each checkpoint of the branch, in the journal and beside the programs that were run; a
checkpoint's state, and so every hash, stays as it is.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.store.history import ROWS_SQL, checkpoint_facts
from selfheal_tui.store.lock import open_driver_lock
from selfheal_tui.store.migrations import migrate
from selfheal_tui.store.session_db import store_error
from selfheal_tui.store.sessions import DB_NAME
from selfheal_tui.store.usage import renamed
from selfheal_tui.text import one_line, plural

from .review import NOTE_LIMIT

NOTE = "note:"
"""Prefix of the header values that hold a branch's note."""
MAIN = "main"
_NAME_LIMIT = 60


@dataclass(frozen=True, slots=True)
class Deleted:
    """What a deletion took away."""

    checkpoints: int
    bodies: int
    freed_bytes: int
    """On disk."""


def rename_branch(folder: Path, old: str, new: str) -> None:
    """Give a branch another name. Raises: InputError for a name that is unknown, taken or cannot be shown."""
    if not new or new != one_line(new, _NAME_LIMIT):
        raise InputError(f"{new!r} cannot name a branch.", f"Give one line of at most {_NAME_LIMIT} characters.")
    with _changing(folder) as connection:
        branches = _branches(connection)
        _check_known(branches, old)
        if new in branches:
            raise InputError(f"There is a branch {new!r} already.", "Choose another name.")
        for checkpoint_id in branches[old]:
            where = "where checkpoint_ns='' and checkpoint_id=?"
            row = connection.execute(f"select metadata from checkpoints {where}", (checkpoint_id,)).fetchone()
            facts = json.dumps({**json.loads(row[0]), "branch": new}, ensure_ascii=False).encode("utf-8", "ignore")
            connection.execute(f"update checkpoints set metadata=? {where}", (facts, checkpoint_id))
        for table in ("decision", "program", "call_use"):
            connection.execute(f"update {table} set branch=? where branch=?", (new, old))
        for sql, values in renamed(old, new):
            connection.execute(sql, values)
        connection.execute("update meta set key=? where key=?", (NOTE + new, NOTE + old))


def note_branch(folder: Path, name: str, note: str) -> None:
    """Write a note on a branch; an empty one takes it away. Raises: InputError for an unknown branch."""
    if len(note) > NOTE_LIMIT:
        raise InputError(f"The note is too long: {len(note):,} characters, at most {NOTE_LIMIT:,}.")
    with _changing(folder) as connection:
        _check_known(_branches(connection), name)
        connection.execute("delete from meta where key=?", (NOTE + name,))
        if note:
            connection.execute("insert into meta values(?,?)", (NOTE + name, note))


def delete_branch(folder: Path, name: str) -> Deleted:
    """Remove a branch's own checkpoints and what only they named; free the disk. Paid replies stay.

    Raises: InputError for the main branch, one that others start from, or one whose decision has not taken effect;
    SessionError when the session is damaged or busy.
    """
    from .check import unnamed_bodies

    path = folder / DB_NAME
    with _changing(folder) as connection:
        before = path.stat().st_size
        branches = _branches(connection)
        _check_known(branches, name)
        _check_deletable(connection, branches, name)
        own = branches[name]
        for checkpoint_id in own:
            connection.execute("delete from checkpoints where checkpoint_id=?", (checkpoint_id,))
            connection.execute("delete from writes where checkpoint_id=?", (checkpoint_id,))
            for table in ("decision", "call_use"):
                connection.execute(f"delete from {table} where asked_at=?", (checkpoint_id,))
        for table in ("decision", "program", "call_use"):
            connection.execute(f"delete from {table} where branch=?", (name,))
        connection.execute("delete from meta where key=?", (NOTE + name,))
        unnamed = unnamed_bodies(connection, folder.name)
        connection.executemany("delete from blob where ref=?", [(ref,) for ref in unnamed])
        connection.commit()
        connection.execute("vacuum")
        connection.execute("pragma wal_checkpoint(truncate)")
        return Deleted(len(own), len(unnamed), before - path.stat().st_size)


def _check_known(branches: dict[str, list[str]], name: str) -> None:
    if name not in branches:
        raise InputError(f"There is no branch {name!r}.", f"There are: {', '.join(branches) or 'none yet'}.")


def _check_deletable(connection: sqlite3.Connection, branches: dict[str, list[str]], name: str) -> None:
    if name == MAIN or name == next(iter(branches)):
        raise InputError(f"Branch {name!r} is where the session began.", "Delete the session: selfheal sessions delete")
    own = set(branches[name])
    rows = connection.execute("select checkpoint_id, parent_checkpoint_id from checkpoints").fetchall()
    after = {i for i, parent in rows if parent in own and i not in own}
    if after:
        names = sorted(other for other, ids in branches.items() if after & set(ids))
        raise InputError(
            f"{plural(len(names), 'branch starts', 'branches start')} from {name!r}: {', '.join(names)}.",
            "Delete those first.",
        )
    waiting = connection.execute("select asked_at, branch from decision where done=0").fetchall()
    if any(branch == name or asked_at in own for asked_at, branch in waiting):
        raise InputError(
            f"A decision on {name!r} has not taken effect yet.", "Let it: selfheal resume SESSION --headless"
        )


def _branches(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return branch -> ids of its checkpoints, in the order they were written."""
    if not connection.execute("select 1 from sqlite_master where name='checkpoints'").fetchone():
        return {}
    found: dict[str, list[str]] = {}
    for fact in checkpoint_facts(connection.execute(ROWS_SQL.format(where="")).fetchall()):
        found.setdefault(str(fact.get("branch", MAIN)), []).append(fact["checkpoint_id"])
    return found


@contextmanager
def _changing(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open the file as the session's only driver, within one transaction that an error takes back."""
    with open_driver_lock(folder):
        path = folder / DB_NAME
        try:
            migrate(path)
            uri = f"{path.absolute().as_uri()}?mode=rw"
            with closing(sqlite3.connect(uri, uri=True, timeout=5, isolation_level=None)) as connection:
                connection.execute("begin immediate")
                try:
                    yield connection
                except BaseException:
                    if connection.in_transaction:
                        connection.rollback()
                    raise
                if connection.in_transaction:
                    connection.commit()
        except sqlite3.Error as error:
            raise store_error(path, error) from error
