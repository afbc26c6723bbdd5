"""Write a session down as one file that another machine can open. Keys and the home folder stay here."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from selfheal_tui import __version__
from selfheal_tui.errors import SessionError
from selfheal_tui.store.blobs import json_text
from selfheal_tui.store.copying import open_copy, read_checkpoints, read_header, read_own_rows, read_writes
from selfheal_tui.store.integrity import UNREADABLE, body_of
from selfheal_tui.store.marks import PROMPTS as PROMPTS_OF
from selfheal_tui.store.migrations import migrate
from selfheal_tui.store.schema import SCHEMA_VERSION
from selfheal_tui.store.serde import StateSerde
from selfheal_tui.store.session_db import store_error
from selfheal_tui.store.sessions import DB_NAME
from selfheal_tui.whole_file import not_written

from ...history.check import named_bodies
from ...moment.state import GRAPH_VERSION
from ...session.lanes import PROMPTS
from ..export.redact import Redaction
from .form import CHECKPOINT, FORMAT, HEADER, LARGEST_LINE_BYTES, VERSION, WRITE, session_name, to_json
from .rewriting import Rewriting

_PLACES = 20


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    rows: int
    redacted: tuple[str, ...]
    """What held a key or the home folder, in words, the first few; what it is asked again elsewhere is a new call."""
    refs: Mapping[str, str]
    """Hash of a body in the file -> the one that it has here, where they differ: no folder of here is named there."""


def write_session_file(folder: Path, path: Path, environ: Mapping[str, str], home: str) -> Exported:
    """Write the session in a folder to a file of its owner's own: to its end, or not at all.

    Raises: SessionError as `write_session` does, InputError when the file cannot be written.
    """
    unfinished = path.with_name(f".{path.name[:200]}.{os.getpid()}.part")
    try:
        with open(unfinished, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            done = write_session(folder, file, environ, home)
        os.replace(unfinished, path)
    except OSError as error:
        raise not_written(path, error) from error
    finally:
        with suppress(OSError):
            unfinished.unlink()
    return done


def write_session(folder: Path, target: IO[bytes], environ: Mapping[str, str], home: str) -> Exported:
    """Write the session in a folder to an open file, beside whoever drives it.

    Raises: SessionError when it is damaged, or too large for a reader to accept.
    """
    path = folder / DB_NAME
    migrate(path)
    try:
        with open_copy(folder) as connection, gzip.GzipFile("", "wb", fileobj=target, mtime=0) as packed:
            return _write(connection, folder.name, packed, Redaction(environ, home))
    except UNREADABLE as error:
        raise store_error(path, error if isinstance(error, sqlite3.Error) else sqlite3.DatabaseError(error)) from error


def _write(connection: sqlite3.Connection, session_id: str, target: gzip.GzipFile, redaction: Redaction) -> Exported:
    words = named_bodies(connection, session_id)
    meta = read_header(connection)
    rewriting = Rewriting(
        redaction, set(words), lambda ref: _body(connection, ref), json.loads(meta["initial"])["manifest_ref"]
    )
    values = (FORMAT, VERSION, __version__, SCHEMA_VERSION, GRAPH_VERSION, session_name(session_id))
    header = (*values, redaction.text(meta.get("title", session_id)))
    _line(target, dict(zip(HEADER, header, strict=True)))
    count = 0
    for ref, text in rewriting.bodies():
        _line(target, {"table": "blob", "row": {"ref": ref, "text": text}})
        count += 1
    for table, row in _rows(connection):
        _line(target, {"table": table, "row": rewriting.clean(row)})
        count += 1
    redacted = redaction.clean([words[ref] for ref in rewriting.changed][:_PLACES])
    _line(target, {"end": count, "redacted": redacted})
    return Exported(count, tuple(redacted), rewriting.origins())


def _line(target: gzip.GzipFile, value: Any) -> None:
    line = json.dumps(value, allow_nan=False, separators=(",", ":")).encode() + b"\n"
    if len(line) > LARGEST_LINE_BYTES:
        raise SessionError(f"A body of the session is too large to be handed on ({len(line) / 1e6:.0f} MB).")
    target.write(line)


def _body(connection: sqlite3.Connection, ref: str) -> str:
    raw, wrong = body_of(connection, ref)
    if raw is None:
        raise SessionError(
            f"The session is damaged: body {ref[:12]} is {wrong}.", "See: selfheal sessions check SESSION"
        )
    return raw.decode("utf-8", "surrogatepass")


def _without_folders(table: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without folders of this machine: where the files came from, and a race's prompts."""
    if table == "meta" and row["key"] == "root":
        return {**row, "value": ""}
    if table == "act" and "lanes" in (details := json.loads(row["what"])):
        lanes = {name: {k: v for k, v in lane.items() if k != PROMPTS} for name, lane in details["lanes"].items()}
        return {**row, "what": json_text({**details, "lanes": lanes})}
    return row


def _rows(connection: sqlite3.Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield table and row, in the order they were written where that means something."""
    for table, row in read_own_rows(connection):
        if table != "meta" or not row["key"].startswith(PROMPTS_OF):
            yield table, _without_folders(table, row)
    serde = StateSerde()
    for checkpoint_id, parent_id, metadata, kind, body in read_checkpoints(connection):
        saved = to_json(serde.loads_typed((kind, body)))
        yield "checkpoints", dict(zip(CHECKPOINT, (checkpoint_id, parent_id, json.loads(metadata), saved), strict=True))
    for *place, kind, body in read_writes(connection):
        saved = to_json(serde.loads_typed((str(kind), body)))
        yield "writes", dict(zip(WRITE, (*place, saved), strict=True))
