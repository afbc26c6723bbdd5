"""How far an agent reaches: below the client's roots, else below the folder that the server was started in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from selfheal_tui.engine.task.task import Task, load_task
from selfheal_tui.errors import InputError
from selfheal_tui.store.sessions import SessionRow, SessionStore
from selfheal_tui.text import one_line

_LONGEST_PATH = 4096


@dataclass(frozen=True, slots=True)
class Reach:
    """Folders, free of links; nothing outside of all of them is read for an agent."""

    folders: tuple[Path, ...]

    @property
    def base(self) -> Path:
        """The folder that relative paths are taken from: the one the server stands in, where it is within reach."""
        here = Path(os.path.realpath(Path.cwd()))
        return here if self.holds(here) else self.folders[0]

    def holds(self, path: Path) -> bool:
        """Tell whether a path leads to something within reach, links followed."""
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(folder) for folder in self.folders)

    def task(self, paths: Sequence[str], tests: Sequence[str], spec: str = "", wrong: Sequence[str] = ()) -> Task:
        """Read what is to be tested or healed. Raises: InputError, also where it would take files from beyond."""
        task = load_task([self._path(path) for path in paths], [self._test(test) for test in tests], spec, (), wrong)
        beyond = sorted(path for path in task.files if task.root and not self.holds(Path(task.root, path)))
        if beyond:
            raise InputError(
                f"{one_line(beyond[0])} of the project {one_line(task.root or '')} lies beyond {self._words}.",
                "Start `selfheal mcp` in the project's folder.",
            )
        return task

    def rows(self, store: SessionStore) -> list[SessionRow]:
        """Return the sessions whose files came from within reach, newest first."""
        return [row for row in store.rows() if row.folder and self.holds(Path(row.folder))]

    def row(self, store: SessionStore, session_id: str) -> SessionRow:
        """Return the line of one such session. Raises: InputError for any other."""
        try:
            store.folder(session_id)
            row = store.row(session_id)
        except (InputError, OSError, ValueError):
            row = None
        if row is None or not row.folder or not self.holds(Path(row.folder)):
            raise InputError(
                f"There is no session {one_line(session_id, 80)!r} of this folder.",
                "The tool `session` without arguments lists them.",
            )
        return row

    def _path(self, text: str) -> Path:
        if not text or "\0" in text or len(text) > _LONGEST_PATH:
            raise InputError(f"{one_line(text, 60)!r} is no path.")
        here = Path(os.path.realpath(Path.cwd()))
        # As a command would take it: a relative path may lead about in the folder one stands in by a link.
        path = Path(text) if self.base == here else self.base / text
        if not self.holds(path):
            raise InputError(
                f"{one_line(text)} lies beyond {self._words}: nothing was read.",
                "Name files and folders below it.",
            )
        return path

    def _test(self, text: str) -> Path:
        name, mark, node = text.partition("::")
        return Path(f"{self._path(name)}{mark}{node}")

    @property
    def _words(self) -> str:
        return " and ".join(one_line(str(folder)) for folder in self.folders)


def reach_of(roots: Iterable[str]) -> Reach:
    """Return the reach of a client with these roots (`file://` addresses); those that are no folder here are none."""
    folders = [Path(os.path.realpath(path)) for root in roots if (path := _folder_of(root)) is not None]
    return Reach(tuple(dict.fromkeys(folders)) or (Path(os.path.realpath(Path.cwd())),))


def _folder_of(root: str) -> Path | None:
    try:
        parts = urlsplit(root)
        path = Path(unquote(parts.path, errors="strict"))
        is_here = parts.scheme == "file" and parts.netloc in ("", "localhost")
        return path if is_here and path.is_absolute() and path.is_dir() else None
    except (ValueError, OSError):
        return None
