"""One session's SQLite file: the connection that everything shares, our tables, their version.

LangGraph's `checkpoints` and `writes` live beside ours. All writes go through one connection under one lock:
a second writer on the event loop would wait for a commit that only the loop can send.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

import aiosqlite

from selfheal_tui.errors import SessionError

SCHEMA_VERSION = 3
_BUSY_S = 30.0
_TABLES = """
create table if not exists meta(key text primary key, value text not null) without rowid;
create table if not exists blob(ref text primary key, body blob not null) without rowid;
create table if not exists call(key text primary key, role text, model text, prompt text, reply text not null,
    usage text not null, degraded text not null, at text not null, written_by text not null) without rowid;
create table if not exists call_use(asked_at text not null, branch text not null, number integer not null,
    key text not null, replayed integer not null, usage text not null, time_s real not null, at text not null,
    unread text not null, primary key(asked_at, branch, number)) without rowid;
create table if not exists draft(key text primary key, reply text not null) without rowid;
create table if not exists bill(id integer primary key autoincrement, usage text not null);
create table if not exists decision(id integer primary key, asked_at text not null,
    branch text not null, kind text not null, value text not null, made_at text not null, done integer not null);
create table if not exists program(key text primary key, report_ref text not null, branch text not null,
    iteration integer not null) without rowid;
create table if not exists usage(branch text not null, node text not null, role text not null,
    model text not null, runs integer not null, time_s real not null, calls integer not null,
    replayed_calls integer not null, input_tokens integer not null, output_tokens integer not null,
    cost_usd real not null, unpriced_calls integer not null, retries integer not null, degraded integer not null,
    primary key(branch, node, role, model)) without rowid;
"""
_USAGE_BY_BRANCH = f"""
begin immediate;
alter table usage rename to usage_of_all;
{_TABLES}
insert into usage select '', * from usage_of_all;
drop table usage_of_all;
commit;
"""
"""Store 3 was first written without branches: what was used then stands under the branch ''."""

T = TypeVar("T")
Statement = tuple[str, Sequence[Any]]
"""SQL and its values."""


async def uncancelled(work: Coroutine[Any, Any, T]) -> T:
    """Run a write to its end even when the caller is cancelled half-way.

    A cancelled transaction would stay open and lock every other writer out (measured in 15 of 657 cancels).
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.done():
            await asyncio.wait([task])
        raise


class _OwnLock(asyncio.Lock):
    """A lock that the task which holds it may take again, so that LangGraph's writes can join one of ours."""

    def __init__(self) -> None:
        super().__init__()
        self._holder: asyncio.Task[Any] | None = None
        self._depth = 0

    async def acquire(self) -> Literal[True]:
        if self._holder is None or self._holder is not asyncio.current_task():
            await super().acquire()
            self._holder = asyncio.current_task()
        self._depth += 1
        return True

    def release(self) -> None:
        self._depth -= 1
        if not self._depth:
            self._holder = None
            super().release()


class SessionDB:
    """The open file; created by `open_db`."""

    def __init__(self, path: Path, connection: aiosqlite.Connection) -> None:
        self.path = path
        self.connection = connection
        self.lock: asyncio.Lock = _OwnLock()

    async def write(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run one statement and commit; return the last row id. Not cancellable."""
        return await uncancelled(self._write(sql, values))

    async def _write(self, sql: str, values: Sequence[Any]) -> int:
        async with self.lock:
            async with self.connection.execute(sql, values) as cursor:
                row = cursor.lastrowid or 0
            await self.connection.commit()
            return row

    async def write_all(self, statements: Sequence[Statement]) -> None:
        """Run statements as one transaction: all of them or none. Not cancellable."""
        await uncancelled(self._write_all(statements))

    async def _write_all(self, statements: Sequence[Statement]) -> None:
        async with self.joined(statements):
            await self.connection.commit()

    @asynccontextmanager
    async def joined(self, statements: Sequence[Statement]) -> AsyncIterator[None]:
        """Run statements as the start of a transaction that the block goes on with and commits; all of it or nothing.

        Must not be cancelled: call it within `uncancelled`.
        """
        async with self.lock:
            try:
                for sql, values in statements:
                    await self.connection.execute(sql, values)
                yield
            except sqlite3.Error:
                await self.connection.rollback()
                raise

    async def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        async with self.connection.execute(sql, values) as cursor:
            return [tuple(row) for row in await cursor.fetchall()]

    async def get_meta(self, key: str) -> str | None:
        """Return a header value; None when it was never set."""
        rows = await self.rows("select value from meta where key=?", (key,))
        return str(rows[0][0]) if rows else None

    async def set_meta(self, key: str, value: str) -> None:
        """Set a header value."""
        await self.write("insert or replace into meta values(?,?)", (key, value))


@asynccontextmanager
async def open_db(path: Path, *, create: bool = False) -> AsyncIterator[SessionDB]:
    """Open a session's file. Raises: SessionError when it is missing, damaged or from an unknown version."""
    if not create and not path.is_file():
        raise SessionError(f"The session's file {path} is missing.", "Delete the session's folder.")
    try:
        async with aiosqlite.connect(path, timeout=_BUSY_S) as connection:
            db = SessionDB(path, connection)
            await connection.execute("pragma journal_mode=wal")
            await connection.execute("pragma synchronous=full")
            await connection.executescript(_TABLES)
            await connection.commit()
            if not await db.rows("select 1 from pragma_table_info('usage') where name='branch'"):
                await connection.executescript(_USAGE_BY_BRANCH)
            version = await db.get_meta("schema_version")
            if version is None:
                await db.set_meta("schema_version", str(SCHEMA_VERSION))
            elif version != str(SCHEMA_VERSION):
                raise SessionError(
                    f"The session was written by another version of selfheal (store {version}, here {SCHEMA_VERSION}).",
                    "Open it with the version that wrote it.",
                )
            yield db
    except sqlite3.DatabaseError as error:
        raise store_error(path, error) from error


def store_error(path: Path, error: sqlite3.Error) -> SessionError:
    """Return the sentence for what SQLite refused."""
    text = str(error)
    if "full" in text:
        return SessionError(f"The disk is full: {path} could not be written.", "Free space, then resume.")
    if "readonly" in text or "unable to open" in text:
        return SessionError(f"The session's file {path} cannot be written ({text}).", "Check its permissions.")
    if "locked" in text:
        return SessionError(f"Another program holds a lock on {path}.", "Close it, then resume.")
    hint = "See what can still be read: selfheal sessions check"
    return SessionError(f"The session's file {path} is damaged ({text}).", hint)
