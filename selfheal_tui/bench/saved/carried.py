"""Sessions of unfinished tasks as one file each: what a worker elsewhere has paid for lies here, on the driver's disk.

A file is replaced whole, so a kill leaves the one before or the new one. Its form is `engine/out/transfer/`.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.engine.out.transfer.reading import read_session
from selfheal_tui.engine.out.transfer.writing import write_session_file
from selfheal_tui.errors import SessionError
from selfheal_tui.whole_file import write_whole

from .journal import Journal

if TYPE_CHECKING:
    from selfheal_tui.engine.session.workbench import Workbench

_FOLDER = ".carried"
_SUFFIX = ".selfheal"


class Carried:
    """The files of one run."""

    def __init__(self, journal: Journal) -> None:
        self.folder = journal.sessions / _FOLDER

    def put(self, task_id: str, session: bytes) -> None:
        """Keep a task's session instead of the one before; it is on disk when this returns. Raises: SessionError."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self.path(task_id), session)
        except OSError as error:
            raise SessionError(f"{self.folder} cannot be written ({error.strerror}).") from error

    def get(self, task_id: str) -> bytes:
        """Return a task's session; empty when there is none. Raises: SessionError."""
        try:
            return self.path(task_id).read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise SessionError(f"{self.folder} cannot be read ({error.strerror}).") from error

    def drop(self, task_id: str) -> None:
        """Forget a task's session."""
        self.path(task_id).unlink(missing_ok=True)

    def path(self, task_id: str) -> Path:
        """Return where a task's session lies: any text may be an id, so it is told by its hash."""
        return self.folder / (hashlib.sha256(task_id.encode("utf-8", "surrogatepass")).hexdigest()[:40] + _SUFFIX)


async def take_in_carried(workbench: Workbench, journal: Journal) -> None:
    """Make sessions of the files that a run elsewhere has left, so that this process can go on with them.

    Raises: InputError for a file that is none.
    """
    folder = Carried(journal).folder
    for path in sorted(folder.glob(f"*{_SUFFIX}")) if folder.is_dir() else []:
        await read_session(workbench.store, path)
        path.unlink()


async def hand_out(workbench: Workbench, journal: Journal) -> None:
    """Make files of the sessions that a run in one process has left, so that workers elsewhere can go on with them.

    Raises: SessionError for one that is damaged.
    """
    carried = Carried(journal)
    for row in workbench.list_sessions():
        if row.title not in journal.results:
            carried.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_session_file(workbench.store.folder(row.session_id), carried.path(row.title), os.environ, "")
            await workbench.delete_session(row.session_id)
        elif journal.results[row.title].get("session_id") != row.session_id:
            await workbench.delete_session(row.session_id)
