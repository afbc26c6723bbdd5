"""A session's file read without a write: no journal, no lock, no table is made where the session lies."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from .readable import readable_uri
from .sessions import DB_NAME

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file raises; Python cannot even decode some of SQLite's messages about one."""
_MOST_COMPLAINTS = 20


@contextmanager
def open_reading(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open the session's file to read. Raises: UNREADABLE, OSError."""
    with readable_uri(folder / DB_NAME) as uri, closing(_connect(uri)) as connection:
        yield connection


def _connect(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, timeout=5)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return connection


def complaints(connection: sqlite3.Connection) -> list[str]:
    """Return what SQLite finds wrong with the file itself; empty when it is whole."""
    try:
        lines = [str(row[0]) for row in connection.execute(f"pragma integrity_check({_MOST_COMPLAINTS})")]
    except UNREADABLE as error:
        return [str(error)]
    return [] if lines == ["ok"] else lines


def body_of(connection: sqlite3.Connection, ref: str) -> tuple[bytes | None, str]:
    """Return a body, or None and what is wrong with it: missing, unreadable or altered."""
    try:
        row = connection.execute("select body from blob where ref=?", (ref,)).fetchone()
        raw = zlib.decompress(row[0]) if row else None
    except (*UNREADABLE, zlib.error, TypeError):
        return None, "unreadable"
    if raw is None:
        return None, "missing"
    return (raw, "") if hashlib.sha256(raw).hexdigest() == ref else (None, "altered")
