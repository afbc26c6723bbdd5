"""Where SQLite can read a session's file: as it lies, or without writing a byte beside it.

SQLite writes a shared-memory file beside a journal that it reads: not where nothing can be written, nor on a full disk.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from .lock import driver_of

_JOURNAL = "-wal"
_HEADER_BYTES = 100
_MOST_BYTES = 4 << 30
"""A header that was altered may say any length."""


def can_be_opened(path: Path) -> bool:
    """Tell whether the file can be opened where it lies, to write or at least to read it beside its journal."""
    if not (os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)):
        return False
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=5)) as connection:
            connection.execute("select 1 from sqlite_master").fetchone()
    except sqlite3.OperationalError:
        return False
    except (sqlite3.Error, UnicodeDecodeError):
        pass  # damaged: whoever opens it says so
    return True


@contextmanager
def readable_uri(path: Path) -> Iterator[str]:
    """Yield a URI under which SQLite reads the file and writes nothing beside it. Raises: OSError.

    What a crash left in the journal is read from a copy; beside a driver the shared memory is there already. SQLite
    reads nothing of a file that was cut off: what is left is read from a copy of the old length.
    """
    path = path.absolute()
    journal = path.with_name(path.name + _JOURNAL)
    if driver_of(path.parent) is None and _is_refused(path) and path.stat().st_size < _whole_bytes(path):
        with tempfile.TemporaryDirectory(prefix="selfheal-read-") as place:
            copy = Path(place) / path.name
            shutil.copyfile(path, copy)
            os.truncate(copy, _whole_bytes(copy))
            yield f"{copy.as_uri()}?mode=rw"
    elif journal.exists() and driver_of(path.parent) is not None:
        yield f"{path.as_uri()}?mode=ro"
    elif not journal.exists() or not journal.stat().st_size:
        yield f"{path.as_uri()}?immutable=1"
    else:
        with tempfile.TemporaryDirectory(prefix="selfheal-read-") as place:
            for file in (path, journal):
                shutil.copyfile(file, Path(place) / file.name)
            yield f"{(Path(place) / path.name).as_uri()}?mode=rw"


def _is_refused(path: Path) -> bool:
    """Tell whether SQLite reads nothing of the file.

    A whole one is never opened beside SQLite: closing it again would take away the locks that this process has on it.
    """
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as connection:
            connection.execute("select 1 from sqlite_master").fetchone()
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return True
    return False


def _whole_bytes(path: Path) -> int:
    """Return how long the file says it is; 0 when it does not say (the SQLite file format, "Database Header")."""
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if len(header) < _HEADER_BYTES or not header.startswith(b"SQLite format 3"):
        return 0
    page = int.from_bytes(header[16:18], "big")
    counted = header[24:28] == header[92:96]  # else the count of pages is of an older writer
    return min((65536 if page == 1 else page) * int.from_bytes(header[28:32], "big"), _MOST_BYTES) if counted else 0
