"""Take in a session that was exported elsewhere: a stranger's file, so row by row into a file of our own.

Nothing of it is run, here or when it is opened; nothing that is there is overwritten. A file that is wrong in one row
leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError, SessionError
from selfheal_tui.store.blobs import Blobs
from selfheal_tui.store.copying import Filling, own_tables
from selfheal_tui.store.schema import SCHEMA_VERSION
from selfheal_tui.store.session_db import open_db
from selfheal_tui.store.sessions import DB_NAME, SessionStore

from ...history.check import check_session
from ...moment.state import GRAPH_VERSION
from .form import FORMAT, HEADER, SESSION_ID, VERSION, Refused
from .lines import read_lines, refuse
from .rows import Rows
from .shapes import problem

_BATCH = 200
_UNFINISHED = ".importing-"


@dataclass(frozen=True, slots=True)
class Imported:
    """A session that came in."""

    session_id: str
    was: str
    """Its id where it came from; another one than `session_id` when there was one of that id here."""
    redacted: tuple[str, ...]
    """What was taken out of it there, in words."""


async def read_session(store: SessionStore, path: Path) -> Imported:
    """Make a session of an exported file; one that is there stays as it is, and the new one gets another id.

    Raises: InputError when the file is not, whole, a session of this version.
    """
    lines = read_lines(path)
    header = _header(path, next(lines, None))
    session_id = _free_id(store, header["session_id"])
    try:
        store.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        _clear(store.home)
        place = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=store.home))
        held = _hold(place)
    except OSError as error:
        raise InputError(
            f"The sessions folder {store.home} cannot be written ({error.strerror}).",
            "Give another one with --sessions DIR.",
        ) from error
    try:
        folder = place / session_id
        folder.mkdir(mode=0o700)
        try:
            redacted = await _fill(folder, session_id, lines)
        except Refused as why:
            refuse(path, f"is not a session that this version wrote: {why}")
        report = await asyncio.to_thread(check_session, folder)
        if not report["sound"]:
            refuse(path, f"is damaged: {report['damage'][0]['what'].rstrip('.')}")
        os.rename(folder, store.home / session_id)
    finally:
        shutil.rmtree(place, ignore_errors=True)
        os.close(held)
    return Imported(session_id, header["session_id"], tuple(redacted))


def _hold(place: Path) -> int:
    """Return a descriptor that keeps an unfinished import from being taken for one that was killed."""
    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def _clear(home: Path) -> None:
    """Remove what imports that were killed have left."""
    for place in home.glob(f"{_UNFINISHED}*"):
        with suppress(OSError):
            held = _hold(place)
            try:
                shutil.rmtree(place)
            finally:
                os.close(held)


def _header(path: Path, header: Any) -> dict[str, Any]:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        refuse(path, "is no exported session")
    versions = (header.get("version"), header.get("store"), header.get("graph"))
    if versions != (VERSION, SCHEMA_VERSION, GRAPH_VERSION):
        raise InputError(
            f"{path} was written by another version of selfheal (file {versions[0]}, store {versions[1]}, graph "
            f"{versions[2]}; here {VERSION}, {SCHEMA_VERSION}, {GRAPH_VERSION}).",
            "Export it again with this version, or open it with the one that wrote it.",
        )
    if set(header) != set(HEADER):
        refuse(path, "has a header of another shape")
    if not isinstance(header["session_id"], str) or not SESSION_ID.fullmatch(header["session_id"]):
        refuse(path, f"names no session: {str(header['session_id'])[:60]!r}")
    return header


def _free_id(store: SessionStore, wanted: str) -> str:
    number, session_id = 1, wanted
    while os.path.lexists(store.home / session_id):
        number += 1
        session_id = f"{wanted}-{number}"
    return session_id


async def _fill(folder: Path, session_id: str, lines: Iterator[Any]) -> list[str]:
    """Write a session's file of the rows; return what its end says was taken out of them."""
    from selfheal_tui.store.saver import SessionSaver

    rows = Rows()
    async with open_db(folder / DB_NAME, create=True) as db:
        saver = SessionSaver(db)
        await saver.setup()
        filling = Filling(db)
        await filling.begin()
        blobs, count = Blobs(db), 0
        redacted: list[str] | None = None
        for line in lines:
            if redacted is not None:
                raise Refused("it goes on after its end")
            if isinstance(line, dict) and "end" in line:
                redacted = _end(line, count)
                continue
            if not isinstance(line, dict) or set(line) != {"table", "row"}:
                raise Refused("a line is no row")
            count += 1
            await _take(filling, saver.serde, rows, session_id, line["table"], line["row"])
            if count % _BATCH == 0:
                await filling.commit()
        if redacted is None:
            raise Refused("it ends early")
        await filling.commit()
        rows.states.initial(rows.meta.get("initial", ""))
        done: set[tuple[str, str]] = set()
        while todo := rows.states.named - done:
            for ref, field in todo:
                rows.states.body(field, await _text(blobs, ref))
            done |= todo
        if rows.meta.get("schema_version") != str(SCHEMA_VERSION):
            raise Refused("its store is of another version")
        await filling.end()
    return redacted


def _end(line: dict[str, Any], count: int) -> list[str]:
    if line["end"] != count or type(line["end"]) is not int:
        raise Refused("rows are missing")
    if set(line) != {"end", "redacted"} or problem(line["redacted"], list[str]):
        raise Refused("its end is of another shape")
    return list(line["redacted"])


async def _text(blobs: Blobs, ref: str) -> str:
    try:
        return await blobs.get_text(ref)
    except SessionError as error:
        raise Refused(f"body {ref[:12]} is missing") from error


async def _take(filling: Filling, serde: Any, rows: Rows, session_id: str, table: Any, row: Any) -> None:
    """Check one row and put it down."""
    try:
        if table == "blob":
            await filling.body(*rows.blob(row))
        elif table == "checkpoints":
            checkpoint_id, parent_id, facts, state = rows.checkpoint(row)
            kind, body = serde.dumps_typed(state)
            metadata = json.dumps(facts, ensure_ascii=False).encode("utf-8", "ignore")
            ids = {"thread_id": session_id, "checkpoint_id": checkpoint_id, "parent_checkpoint_id": parent_id}
            await filling.insert(table, {**ids, "type": kind, "checkpoint": body, "metadata": metadata})
        elif table == "writes":
            kind, body = serde.dumps_typed(rows.write(row))
            await filling.insert(table, {**row, "thread_id": session_id, "type": kind, "value": body})
        elif isinstance(table, str) and table in own_tables():
            await filling.own_row(table, rows.own(table, row))
        else:
            raise Refused(f"there is no table {str(table)[:60]!r}")
    except (sqlite3.IntegrityError, UnicodeEncodeError) as error:
        raise Refused(f"a row of {table} cannot be kept ({error})") from error
