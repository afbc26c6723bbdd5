"""Healed files on their way into the user's folder: what would be written, as a diff, and the writing itself.

Blocks. The app and `selfheal sessions apply` both go this way.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.store.writing import FileChange, changes_of, pending_changes, write_changes
from selfheal_tui.text import outcome_word, plural

from ..moment.snapshot import Snapshot
from ..moment.state import WELL_ENDED
from ..moment.workspace import unified_diff


@dataclass(frozen=True, slots=True)
class Writing:
    """What is to be written into a folder."""

    folder: Path
    wanted: tuple[FileChange, ...]
    pending: tuple[FileChange, ...]
    """Those of `wanted` that the folder does not hold yet."""

    @property
    def diff(self) -> str:
        """The change that is still to be made."""
        before = {change.path: change.before for change in self.pending if change.before is not None}
        return unified_diff(before, {change.path: change.after for change in self.pending})

    @property
    def words(self) -> str:
        """What is written where: `2 files in /home/me/shop`."""
        return f"{plural(len(self.pending), 'file')} in {self.folder}"


def plan_writing(
    snapshot: Snapshot, root: Path | None, address: str, *, output: Path | None = None, unhealed: bool = False
) -> Writing:
    """Return what writes a moment's program to where it came from, or all of it into the folder `output`.

    `address` is the session, as commands name it. Raises: InputError for a program that is not healed (unless
    `unhealed`), without a folder, and when a file changed meanwhile, is a link or lies outside of the folder.
    """
    if snapshot.outcome == "nothing_to_heal" and output is None:
        raise InputError(f"Branch {snapshot.branch} had nothing to heal: no file was changed, so nothing was written.")
    if snapshot.outcome not in WELL_ENDED and not unhealed:
        state = outcome_word(snapshot.outcome) if snapshot.outcome else "it has not ended"
        raise InputError(
            f"Branch {snapshot.branch} is not healed ({state}): nothing was written.",
            "To write it all the same: --unhealed.",
        )
    if output is None and root is None:
        raise InputError(
            "This session's files came from no folder: nothing was written.",
            f"Give one with -o DIR, or: selfheal sessions export {address} --format patch",
        )
    folder = Path(os.path.realpath(output)) if output else Path(root or ".")
    wanted = tuple(_wanted(snapshot, folder, whole=output is not None))
    # A folder that is not there yet is made once the user agreed.
    there = output is None or os.path.lexists(folder)
    return Writing(folder, wanted, tuple(pending_changes(folder, wanted)) if there else wanted)


def plan_putting_back(snapshot: Snapshot, root: Path | None) -> Writing:
    """Return what puts the files that `plan_writing` would write back as they were given. Raises: as that."""
    if root is None:
        raise InputError("This session's files came from no folder: there is nothing to put back.")
    back = tuple(FileChange(c.path, c.after, c.before or "") for c in _wanted(snapshot, root, whole=False))
    return Writing(root, back, tuple(pending_changes(root, back)))


def write(writing: Writing) -> list[Path]:
    """Make all pending changes or none; return the files written. Raises: InputError."""
    try:
        writing.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{writing.folder} cannot be made: {error.strerror}.") from error
    return write_changes(writing.folder, writing.pending)


def _wanted(snapshot: Snapshot, folder: Path, *, whole: bool) -> list[FileChange]:
    """Return what is to be written; `whole`: every program file, those that the folder lacks included."""
    if not whole:
        return [change for change in changes_of(snapshot.base, snapshot.program) if change.before is not None]
    there = {path for path in snapshot.program if os.path.lexists(folder / path)}
    return [
        FileChange(path, snapshot.base.get(path) if path in there else None, text)
        for path, text in sorted(snapshot.program.items())
    ]
