"""Which session was applied last to a folder, and what a merge wrote: notes beside each session's file."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from selfheal_tui.errors import SessionError
from selfheal_tui.whole_file import write_whole

from .own_files import check_file
from .writing import FileChange

NOTE = "applied"
PUT_BACK = "put-back"
"""What the note is called once the files are as they were given."""
MERGED = "merged"
"""The note that has what a merge found in the files, and what it wrote."""
WRITTEN = "written"
"""The note that has what was written, and what the session was given."""
_LONGEST = 10_000
_LONGEST_TEXTS = 64_000_000


@dataclass(frozen=True, slots=True)
class Applied:
    """That a branch of a session was written to its folder."""

    session_id: str
    branch: str
    at: str
    folder: str
    """That folder."""


def note_applied(session: Path, branch: str, root: Path) -> None:
    """Note beside a session's file that a branch was written to the folder `root`; not where nothing can be written."""
    note = session / NOTE
    text = json.dumps({"at": datetime.now(UTC).isoformat(), "branch": branch, "folder": str(root)})
    with suppress(OSError, SessionError):  # the files are written: that it is not noted must not look like a failure
        check_file(note)
        descriptor = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)


def note_put_back(session: Path) -> None:
    """Take the note away, and keep that it was there."""
    with suppress(OSError):
        os.replace(session / NOTE, session / PUT_BACK)


def note_merged(session: Path, branch: str, changes: Sequence[FileChange]) -> None:
    """Note what a merge of a branch wrote; without changes take that note away."""
    _note_changes(session / MERGED, branch, changes)


def note_written(session: Path, branch: str, changes: Sequence[FileChange]) -> None:
    """Note what was written of a branch, each file as it was given before; without changes take that note away.

    The branch may be another program by the time at which the files are put back.
    """
    _note_changes(session / WRITTEN, branch, changes)


def merged_changes(session: Path, branch: str) -> dict[str, FileChange]:
    """Return path -> what a merge of this branch wrote there; empty where the branch was written without one."""
    return _noted_changes(session / MERGED, branch)


def written_changes(session: Path, branch: str) -> dict[str, FileChange]:
    """Return path -> what was written of this branch; empty for nothing, and in sessions of before."""
    return _noted_changes(session / WRITTEN, branch)


def _note_changes(note: Path, branch: str, changes: Sequence[FileChange]) -> None:
    with suppress(OSError, SessionError):
        check_file(note)
        note.unlink(missing_ok=True)
        if changes:
            files = [[change.path, change.before, change.after] for change in changes]
            write_whole(note, json.dumps({"branch": branch, "files": files}).encode("utf-8"))


def _noted_changes(note: Path, branch: str) -> dict[str, FileChange]:
    try:
        check_file(note)
        with note.open(encoding="utf-8", errors="replace") as file:
            content = json.loads(file.read(_LONGEST_TEXTS))
        rows = content["files"] if content["branch"] == branch else []
        changes = [FileChange(path, before, after) for path, before, after in rows]
    except (OSError, ValueError, KeyError, TypeError, SessionError):
        return {}
    if not all(isinstance(text, str) for one in changes for text in (one.path, one.before or "", one.after)):
        return {}
    return {change.path: change for change in changes}


def is_near(folder: Path, here: Path) -> bool:
    """Tell whether a folder holds `here` or lies in it."""
    return here.is_relative_to(folder) or folder.is_relative_to(here)


def last_applied(home: Path, here: Path, name: str = NOTE) -> Applied | None:
    """Return what was applied last to the folder `here`, else to one that holds it or lies in it; None for nothing.

    With the `name` PUT_BACK it is what was put back.
    """
    notes = [applied for note in home.glob(f"*/{name}") if (applied := _read(note, here)) is not None]
    own = [one for one in notes if Path(one.folder) == here]
    return max(own or notes, key=lambda one: one.at, default=None)


def applied_branch(session: Path) -> str:
    """Return the branch of a session that was written to its folder; empty where none is."""
    applied = applied_to(session)
    return applied.branch if applied is not None else ""


def applied_to(session: Path) -> Applied | None:
    """Return which branch of a session was written, and to which folder; None where none is."""
    return _read(session / NOTE, Path("/"))


def _read(note: Path, here: Path) -> Applied | None:
    try:
        check_file(note)
        with note.open(encoding="utf-8", errors="replace") as file:
            values = json.loads(file.read(_LONGEST))
        at, branch, root = (values[key] for key in ("at", "branch", "folder"))
    except (OSError, ValueError, KeyError, TypeError, SessionError):
        return None  # somebody else's file, or half of one
    if not all(isinstance(value, str) for value in (at, branch, root)):
        return None
    return Applied(note.parent.name, branch, at, root) if is_near(Path(root), here) else None
