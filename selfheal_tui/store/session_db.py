"""One session's SQLite file: the connection that everything shares, our tables, their version.

LangGraph's `checkpoints` and `writes` live beside ours. All writes go through one connection under one lock:
a second writer on the event loop would wait for a commit that only the loop can send.
"""

from __future__ import annotations

import asyncio
import shlex
import shutil
import sqlite3
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, TypeVar

import aiosqlite

from selfheal_tui.errors import SessionDamaged, SessionError, SessionNotWritable

from .damage import reading
from .migrations import check_version, migrate
from .readable import can_be_opened, readable_uri
from .schema import INDEXES, SCHEMA_VERSION, TABLES

_BUSY_S = 30.0
_LEAST_BYTES = 64 * 1024
"""Twice SQLite's smallest shared memory."""

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
        self._only_looking = False

    async def write(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run one statement and commit; return the last row id. Not cancellable. Raises: SessionError."""
        with self._told():
            return await uncancelled(self._write(sql, values))

    async def _write(self, sql: str, values: Sequence[Any]) -> int:
        async with self.joined(()):
            async with self.connection.execute(sql, values) as cursor:
                row = cursor.lastrowid or 0
            await self.connection.commit()
            return row

    async def write_all(self, statements: Sequence[Statement]) -> None:
        """Run statements as one transaction: all of them or none. Not cancellable. Raises: SessionError."""
        with self._told():
            await uncancelled(self._write_all(statements))

    async def _write_all(self, statements: Sequence[Statement]) -> None:
        async with self.joined(statements):
            await self.connection.commit()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if self._only_looking:
                why = "The session is only looked at here, so nothing was changed."
                raise SessionError(why, "Close it where it is driven, and open it again.") from error
            raise store_error(self.path, error) from error

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
        """Return all rows of a query. Raises: SessionError where altered bytes are no text, sqlite3.Error."""
        with reading(f"a row of {self.path}"):
            async with self.connection.execute(sql, values) as cursor:
                return [tuple(row) for row in await cursor.fetchall()]

    async def forbid_writes(self) -> None:
        """Let SQLite refuse every write from now on."""
        await self.connection.execute("pragma query_only=on")
        self._only_looking = True

    async def get_meta(self, key: str) -> str | None:
        """Return a header value; None when it was never set."""
        rows = await self.rows("select value from meta where key=?", (key,))
        return str(rows[0][0]) if rows else None

    async def set_meta(self, key: str, value: str) -> None:
        """Set a header value."""
        await self.set_header({key: value})

    async def set_header(self, values: Mapping[str, str]) -> None:
        """Set header values, all of them or none."""
        await self.write_all(header_values(values))

    async def written(self) -> None:
        """Wait for the writes that a run has left under way when it was cut off.

        LangGraph saves the results of cancelled nodes beside us. A connection that is closed over an open statement
        lives on, and so does its lock (sqlite3_close_v2).
        """
        await asyncio.sleep(0)  # writes that were begun a moment ago queue for the lock: it is given in their order
        async with self.lock:
            pass

    async def fold_in(self) -> None:
        """Bring what lies in SQLite's journal into the file itself, as far as no reader needs it there.

        A copy of the file alone, or one whose journal was lost, is then as new as the last rest of the run. Where it
        cannot be now (a statement is still being read, the disk is full) all of it stays safe in the journal.
        """
        async with self.lock:
            with suppress(sqlite3.OperationalError):
                await self.connection.execute_fetchall("pragma wal_checkpoint(passive)")

    async def data_version(self) -> int:
        """Return a number that changes when another process has written to the file."""
        return int((await self.rows("pragma data_version"))[0][0])


def header_values(values: Mapping[str, str | None]) -> list[Statement]:
    """Return what sets header values; None removes one."""
    return [
        ("delete from meta where key=?", (key,))
        if value is None
        else ("insert or replace into meta values(?,?)", (key, value))
        for key, value in values.items()
    ]


@asynccontextmanager
async def open_db_to_read(path: Path) -> AsyncIterator[SessionDB]:
    """Open a session's file where nothing can be written, or beside its driver; no write goes through.

    Raises: SessionError when it is missing, damaged, from another version or cannot be read.
    """
    if await asyncio.to_thread(can_be_opened, path):
        async with open_db(path) as db:
            yield db
        return
    try:
        with readable_uri(path) as uri:
            async with aiosqlite.connect(uri, uri=True, timeout=_BUSY_S) as connection:
                db = SessionDB(path, connection)
                version = await db.get_meta("schema_version")
                check_version(version)
                if version != str(SCHEMA_VERSION):
                    raise SessionError(
                        f"An earlier selfheal wrote {path}, and it cannot be brought up to date where nothing can be "
                        "written.",
                        "Copy the session's folder into a sessions folder of yours.",
                    )
                yield db
    except sqlite3.DatabaseError as error:
        raise store_error(path, error) from error
    except OSError as error:
        raise SessionError(f"The session's file {path} cannot be read ({error.strerror}).") from error


@asynccontextmanager
async def open_db(path: Path, *, create: bool = False) -> AsyncIterator[SessionDB]:
    """Open a session's file. Raises: SessionError when it is missing, damaged or from an unknown version."""
    if not create and not path.is_file():
        raise SessionError(f"The session's file {path} is missing.", "Delete the session's folder.")
    try:
        if not create:
            with reading(f"the file {path}"):
                await asyncio.to_thread(migrate, path)
        async with aiosqlite.connect(path, timeout=_BUSY_S) as connection:
            db = SessionDB(path, connection)
            with reading(f"the file {path}"):
                await _prepare(db)
            try:
                yield db
            finally:
                await uncancelled(db.written())
    except sqlite3.DatabaseError as error:
        raise store_error(path, error) from error


async def _prepare(db: SessionDB) -> None:
    await db.connection.execute("pragma journal_mode=wal")
    await db.connection.execute("pragma synchronous=full")
    await db.connection.executescript(";".join((*TABLES, *INDEXES)))
    await db.connection.commit()
    if await db.get_meta("schema_version") is None:
        await db.set_meta("schema_version", str(SCHEMA_VERSION))


def _is_full(path: Path) -> bool:
    """Tell whether nothing fits any more: SQLite calls it an I/O error where it cannot even make its shared memory."""
    try:
        return shutil.disk_usage(path.parent).free < _LEAST_BYTES
    except OSError:
        return False


def store_error(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> SessionError:
    """Return the sentence for what SQLite refused."""
    text = str(error)
    if "full" in text or ("I/O error" in text and _is_full(path)):
        return SessionError(f"The disk is full: {path} could not be written.", "Free space, then resume.")
    if "readonly" in text or "unable to open" in text:
        return SessionNotWritable(f"The session's file {path} cannot be written ({text}).", "Check its permissions.")
    if "I/O error" in text:
        hint = "Look at the disk, its quota and the limit on file sizes, then resume."
        return SessionError(f"The disk failed while {path} was read or written ({text}).", hint)
    if "locked" in text:
        return SessionError(f"Another program holds a lock on {path}.", "Close it, then resume.")
    hint = f"See what can still be read: selfheal sessions check {shlex.quote(path.parent.name)}"
    return SessionDamaged(f"The session's file {path} is damaged ({text}).", hint)
