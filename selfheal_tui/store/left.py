"""Whether a session's file is as its last driver left it: then nobody else wrote it, and it need not be checked anew.

The note lies beside the file. It is no proof: what is read is compared with its hash all the same.
"""

from __future__ import annotations

import os
from pathlib import Path

from .own_files import check_file
from .sessions import DB_NAME

NOTE = "left"


def is_as_left(folder: Path) -> bool:
    """Tell whether the file has the time and size that were noted; False where nothing was noted."""
    check_file(folder / NOTE)
    try:
        return (folder / NOTE).read_text("utf-8", "replace") == _stamp(folder)
    except OSError:
        return False


def note_left(folder: Path) -> None:
    """Note the file's time and size; the caller holds the session's lock and has closed the file."""
    check_file(folder / NOTE)
    try:
        descriptor = os.open(folder / NOTE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(_stamp(folder))
    except OSError:
        return  # it is checked in full when it is opened next


def _stamp(folder: Path) -> str:
    """A journal that is left over means that the driver did not close the file."""
    stat = (folder / DB_NAME).stat()
    journal = (folder / f"{DB_NAME}-wal").exists()
    return f"{stat.st_mtime_ns} {stat.st_size}{' and a journal' if journal else ''}\n"
