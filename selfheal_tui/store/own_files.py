"""What lies in a sessions folder is opened only where it lies: a link there would lead our writes to another file.

A sessions folder may have come with somebody else's files. SQLite follows links, so they are looked for before it.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

from selfheal_tui.errors import SessionError
from selfheal_tui.text import one_line

_SQLITE_ENDS = ("", "-wal", "-shm", "-journal")


def check_session_folder(folder: Path, db_name: str) -> None:
    """Check that a session's folder is one and its files are files. Raises: SessionError naming what is not."""
    check_folder(folder)
    check_database(folder / db_name)
    check_file(folder / "lock")


def check_folder(path: Path) -> None:
    """Check that a path is a folder or nothing yet. Raises: SessionError."""
    mode = _mode(path)
    if mode is not None and not stat.S_ISDIR(mode):
        raise _foreign(path)


def check_database(path: Path) -> None:
    """Check a SQLite file and what SQLite writes beside it; none need be there. Raises: SessionError."""
    for end in _SQLITE_ENDS:
        check_file(path.with_name(path.name + end))


def check_file(path: Path) -> None:
    """Check that a path is a regular file or nothing yet. Raises: SessionError."""
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        raise _foreign(path)


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Check that a SQLite file runs nothing by itself: ours have neither triggers nor views. Raises: SessionError."""
    sql = "select type, name from sqlite_master where type in ('trigger', 'view')"
    if unexpected := connection.execute(sql).fetchone():
        words = f"the {unexpected[0]} {one_line(str(unexpected[1]), 40)!r}"
        raise SessionError(f"{path} holds {words}, which selfheal never makes: it is not opened.", "Remove it.")


def _mode(path: Path) -> int | None:
    try:
        return os.lstat(path).st_mode
    except OSError:
        return None


def _foreign(path: Path) -> SessionError:
    kind = "a link" if path.is_symlink() else "not what selfheal makes there"
    return SessionError(f"{path} is {kind}, and nothing is read or written through it.", "Remove it.")
