"""Sessions that were deleted in the app and can be brought back until it ends; never one that somebody drives."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

from selfheal_tui.errors import SessionError

from .lock import open_driver_lock
from .own_files import check_folder

FOLDER = ".trash"
"""In the sessions folder; each process has a folder of its own there, as only it can bring back what it deleted."""


class Trash:
    """What this process deleted."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._mine = home / FOLDER / f"{os.getpid()}@{socket.gethostname()}"

    def put(self, session_id: str) -> None:
        """Move a session out of the list. Raises: SessionBusy when it is driven, SessionError."""
        folder = self._home / session_id
        with open_driver_lock(folder):
            check_folder(self._home / FOLDER)
            try:
                self._mine.mkdir(parents=True, exist_ok=True, mode=0o700)
                folder.rename(self._mine / session_id)
            except OSError as error:
                raise SessionError(f"Session {session_id} cannot be deleted ({error.strerror}).") from error

    def take_back(self, session_id: str) -> None:
        """Put a session back to where it was. Raises: SessionError."""
        try:
            (self._mine / session_id).rename(self._home / session_id)
        except OSError as error:
            raise SessionError(
                f"Session {session_id} cannot be brought back ({error.strerror}).", f"It lies in {self._mine}."
            ) from error

    def empty(self) -> None:
        """Remove for good what this process deleted, and what killed processes of this machine had deleted."""
        if (self._home / FOLDER).is_symlink():
            return
        try:
            folders = list((self._home / FOLDER).iterdir())
        except OSError:
            return
        for folder in folders:
            pid, _, host = folder.name.partition("@")
            if folder == self._mine or (host == socket.gethostname() and not _alive(pid)):
                shutil.rmtree(folder, ignore_errors=True)
        try:
            (self._home / FOLDER).rmdir()
        except OSError:
            return  # another process has something in it


def _alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True
