"""From an earlier store to this one, in one transaction: a file is of one version or of the other.

| from | what changes |
|---|---|
| 3 | results that a later checkpoint was made of are dropped; calls are compressed; usage is told by branch |

Checkpoints stay as they are: their kind says how each was written.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from selfheal_tui.errors import SessionBusy, SessionDamaged, SessionError

from .lock import driver_of
from .own_files import check_schema
from .packing import pack
from .schema import SCHEMA_VERSION, TABLES

_BUSY_S = 30.0
_USED_WRITES = """
delete from writes where channel<>'__interrupt__' and checkpoint_id in (
  select c.checkpoint_id from checkpoints c join checkpoints k on k.parent_checkpoint_id=c.checkpoint_id
  where json_extract(cast(k.metadata as text), '$.branch')=json_extract(cast(c.metadata as text), '$.branch'))
"""


def _from_3(connection: sqlite3.Connection) -> None:
    if _has(connection, "select 1 from sqlite_master where name='checkpoints'"):
        connection.execute(_USED_WRITES)
    connection.execute("update call set prompt=pack(prompt), reply=pack(reply) where typeof(reply)='text'")
    of_all = not _has(connection, "select 1 from pragma_table_info('usage') where name='branch'")
    if of_all:
        connection.execute("alter table usage rename to usage_of_all")
    for table in TABLES:
        connection.execute(table)
    if of_all:
        connection.execute("insert into usage select '', * from usage_of_all")
        connection.execute("drop table usage_of_all")


_STEPS: dict[int, Callable[[sqlite3.Connection], None]] = {3: _from_3}
RESTORE = "Restore a copy, or delete its folder."
"""What to do where nothing of a session can be read."""
READABLE = tuple(str(version) for version in (*_STEPS, SCHEMA_VERSION))
"""Versions that can be opened."""


def migrate(path: Path) -> None:
    """Bring a session's file up to this version; one of this version is left alone.

    Raises: SessionError for an unknown version, SessionDamaged for none, SessionBusy while an earlier selfheal drives
    it, sqlite3.Error.
    """
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=_BUSY_S)) as connection:
        check_schema(connection, path)
        version = _version(connection)
        if version == str(SCHEMA_VERSION):
            return
        if version is None:
            raise SessionDamaged(
                f"{path} holds no session: it is empty, or was never written to its end.", RESTORE, is_lost=True
            )
        check_version(version)
        _check_driver(path.parent)
        connection.isolation_level = None
        connection.create_function("pack", 1, pack, deterministic=True)
        connection.execute("begin immediate")
        for step in range(int(_version(connection) or SCHEMA_VERSION), SCHEMA_VERSION):
            _STEPS[step](connection)
        connection.execute("update meta set value=? where key='schema_version'", (str(SCHEMA_VERSION),))
        connection.execute("commit")


def check_version(version: str | None) -> None:
    """Raise SessionError for a version that cannot be opened."""
    if version not in READABLE:
        raise SessionError(
            f"The session was written by another version of selfheal (store {version}, here {SCHEMA_VERSION}).",
            "Open it with the version that wrote it.",
        )


def _version(connection: sqlite3.Connection) -> str | None:
    if not _has(connection, "select 1 from sqlite_master where name='meta'"):
        return None
    row = connection.execute("select value from meta where key='schema_version'").fetchone()
    return str(row[0]) if row else None


def _has(connection: sqlite3.Connection, sql: str) -> bool:
    return connection.execute(sql).fetchone() is not None


def _check_driver(folder: Path) -> None:
    """A driver of an earlier version would go on writing as it does."""
    holder = driver_of(folder)
    if holder is not None and holder.pid != os.getpid():
        raise SessionBusy(
            f"Session {folder.name} is open in an earlier version of selfheal ({holder.words()}).",
            "Close it there first.",
        )
