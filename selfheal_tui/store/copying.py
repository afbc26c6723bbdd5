"""All rows of a session's file, one by one, and their way into another file: what handing a session on needs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .integrity import open_reading
from .packing import pack, unpack
from .schema import DERIVED, TABLES
from .session_db import SessionDB


@dataclass(frozen=True, slots=True)
class Column:
    """A column of one of our tables."""

    name: str
    kind: type[str] | type[int] | type[float]
    nullable: bool
    packed: bool
    """Lies compressed in the store (store/packing.py)."""


@cache
def own_tables() -> Mapping[str, tuple[Column, ...]]:
    """Return table -> columns as this version makes them; bodies have a form of their own, derived ones none."""
    kinds: dict[str, Any] = {"text": str, "integer": int, "real": float, "blob": str}
    with closing(sqlite3.connect(":memory:")) as connection:
        for sql in TABLES:
            connection.execute(sql)
        return {
            table: tuple(
                Column(str(name), kinds[str(kind).lower()], not (notnull or key), str(kind).lower() == "blob")
                for _, name, kind, notnull, _, key in connection.execute(f"pragma table_info({table})")
            )
            for table in _tables(connection)
            if table not in ("blob", *DERIVED) and not table.startswith("sqlite_")
        }


@contextmanager
def open_copy(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open a session's file to read it as it is now, whoever goes on writing. Raises: UNREADABLE, OSError."""
    with open_reading(folder) as connection:
        connection.execute("begin")
        yield connection


def read_header(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the header's values."""
    return {str(key): str(value) for key, value in connection.execute("select key, value from meta")}


def read_own_rows(connection: sqlite3.Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield table and row of all our tables but the bodies, unpacked, in the order of their keys."""
    there = _tables(connection)
    for table, columns in own_tables().items():
        if table not in there:
            continue  # made when the session is next opened
        names = ", ".join(column.name for column in columns)
        for values in connection.execute(f"select {names} from {table} order by 1"):
            yield (
                table,
                {
                    column.name: unpack(value) if column.packed and isinstance(value, bytes) else value
                    for column, value in zip(columns, values, strict=True)
                },
            )


def read_checkpoints(connection: sqlite3.Connection) -> Iterator[tuple[str, str | None, bytes, str, bytes]]:
    """Yield id, parent's id, facts, and the kind and bytes of the state, oldest first."""
    columns = "checkpoint_id, parent_checkpoint_id, metadata, type, checkpoint"
    return _langgraph_rows(connection, "checkpoints", columns)


def read_writes(connection: sqlite3.Connection) -> Iterator[tuple[str, str, str, int, str, str, bytes]]:
    """Yield checkpoint id, task id, its path, index, channel, and the kind and bytes of the value, oldest first."""
    return _langgraph_rows(connection, "writes", "checkpoint_id, task_id, task_path, idx, channel, type, value")


def _langgraph_rows(connection: sqlite3.Connection, table: str, columns: str) -> Iterator[Any]:
    if "checkpoints" in _tables(connection):
        yield from connection.execute(f"select {columns} from {table} where checkpoint_ns='' order by rowid")


def _tables(connection: sqlite3.Connection) -> list[str]:
    return [str(row[0]) for row in connection.execute("select name from sqlite_master where type='table'")]


class Filling:
    """Puts rows into a new session's file; the caller has checked them."""

    def __init__(self, db: SessionDB) -> None:
        self._db = db

    async def begin(self) -> None:
        """Take away the header that the file was made with."""
        await self._db.write("delete from meta")

    async def body(self, ref: str, text: str) -> None:
        """Insert a body. Raises: as `insert`."""
        await self.insert("blob", {"ref": ref, "body": pack(text)})

    async def own_row(self, table: str, row: Mapping[str, Any]) -> None:
        """Insert a row of one of our tables, not packed yet. Raises: as `insert`."""
        packed = {c.name: pack(row[c.name]) for c in own_tables()[table] if c.packed and row[c.name] is not None}
        await self.insert(table, {**row, **packed})

    async def insert(self, table: str, row: Mapping[str, Any]) -> None:
        """Insert a row as it is. Raises: sqlite3.IntegrityError, UnicodeEncodeError."""
        sql = f"insert into {table}({', '.join(row)}) values({', '.join('?' * len(row))})"
        await self._db.connection.execute(sql, tuple(row.values()))

    async def commit(self) -> None:
        """Keep what was inserted so far."""
        await self._db.connection.commit()

    async def end(self) -> None:
        """Bring all of it into the one file. Call it after `commit`."""
        await self._db.connection.execute("pragma wal_checkpoint(truncate)")
