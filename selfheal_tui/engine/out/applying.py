"""Healed files on their way into the user's folder: what would be written, as a diff, and the writing itself.

Blocks. The app and `selfheal sessions apply` both go this way.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

from selfheal_tui.errors import FileChanged, InputError
from selfheal_tui.store.applied import (
    applied_branch,
    applied_to,
    is_near,
    merged_changes,
    note_applied,
    note_merged,
    note_put_back,
    note_written,
    written_changes,
)
from selfheal_tui.store.writing import FileChange, changes_of, file_bytes, pending_changes, read_now, write_changes
from selfheal_tui.text import outcome_word, plural

from ..moment.snapshot import Snapshot
from ..moment.state import WELL_ENDED
from ..moment.workspace import unified_diff
from .added_tests import added_onto, added_tests, offers_tests, why_no_tests
from .before_apply import Permit
from .merging import NAMES, Conflicts, conflict_words, merge_changes


@dataclass(frozen=True, slots=True)
class Writing:
    """What is to be written into a folder."""

    folder: Path
    wanted: tuple[FileChange, ...]
    pending: tuple[FileChange, ...]
    """Those of `wanted` that the folder does not hold yet."""
    changes: tuple[FileChange, ...] = ()
    """What the session changes in the files as it was given them; a merge makes `wanted` of them."""
    conflicts: tuple[Conflicts, ...] = ()
    """What a merge could not decide; `wanted` holds git's marks there."""
    merged: bool = False
    names: tuple[str, str, str] = NAMES
    """What the marks of a conflict call your file, the common text and the one that is merged in."""
    puts_back: bool = False
    """Whether it takes the session's change out again."""
    is_home: bool = True
    """Whether the folder is the one that the session's files came from."""

    @property
    def diff(self) -> str:
        """The change that is still to be made."""
        return self.diff_from(self.folder)

    def diff_from(self, here: Path) -> str:
        """Return the change that is still to be made, its paths as seen from a folder above or below."""
        way = Path(os.path.relpath(self.folder, here)) if is_near(self.folder, here) else Path()
        paths = {change.path: (way / change.path).as_posix() for change in self.pending}
        before = {paths[change.path]: change.before for change in self.pending if change.before is not None}
        return unified_diff(before, {paths[change.path]: change.after for change in self.pending})

    @property
    def conflict_words(self) -> str:
        """How much a merge could not decide, and where: `2 conflicts in shop.py and cart.py`."""
        return conflict_words(self.conflicts)

    @property
    def words(self) -> str:
        """What is written where: `2 files in /home/me/shop`."""
        return f"{plural(len(self.pending), 'file')} in {self.folder}"


def plan_writing(
    snapshot: Snapshot,
    root: Path | None,
    address: str,
    *,
    output: Path | None = None,
    unhealed: bool = False,
    with_tests: bool = False,
    merge: bool = False,
    elsewhere: bool = False,
    healed: Sequence[str] = (),
) -> Writing:
    """Return what writes a moment's program to where it came from, or all of it into the folder `output`.

    `address` is the session, as commands name it; `with_tests` adds what tests there are, `merge` merges into files
    that changed meanwhile, `elsewhere`: the folder's own files do not matter, as another place gets the change,
    `healed` are the session's healed branches.
    Raises: InputError for a program that is not healed (unless `unhealed`), without a folder, for tests that cannot be
    added, for a file that is gone, a link or outside; FileChanged for one that changed meanwhile.
    """
    if snapshot.outcome == "nothing_to_heal" and output is None:
        raise InputError(f"Branch {snapshot.branch} had nothing to heal: no file was changed, so nothing was written.")
    if snapshot.outcome not in WELL_ENDED and not unhealed:
        another = f"Branch {healed[-1]} is healed: --branch {quote(healed[-1])}. " if healed else ""
        state = outcome_word(snapshot.outcome) if snapshot.outcome else "it has not ended"
        raise InputError(
            f"Branch {snapshot.branch} is not healed ({state}): nothing was written.",
            f"{another}To write {'this one' if another else 'it'} all the same: --unhealed.",
        )
    if output is None and root is None:
        raise InputError(
            "This session's files came from no folder: nothing was written.",
            f"Give one with -o DIR, or: selfheal sessions export {address} --format patch",
        )
    folder = Path(os.path.realpath(output)) if output else Path(root or ".")
    wanted = tuple(_wanted(snapshot, folder, whole=output is not None))
    if with_tests and not why_no_tests(snapshot):
        wanted += (_tests_to_add(snapshot, folder),)
    writing = Writing(folder, wanted, wanted, wanted, is_home=output is None)
    # A folder that is not there yet is made once the user agreed.
    new = output is not None and not os.path.lexists(folder)
    if elsewhere or new:
        return writing
    try:
        return _compared(writing, merge)
    except FileChanged as error:
        if output is None:
            raise
        # The session never had that file, and a merge would go into the user's own folder.
        raise InputError(
            f"{error.path} is there already, with other content: nothing was written.", "Give another folder with -o."
        ) from error


def plan_putting_back(
    snapshot: Snapshot, root: Path | None, address: str, session: Path, *, merge: bool = False, is_gone: bool = False
) -> Writing:
    """Return what puts the files that `plan_writing` would write back as they were before. Raises: as that.

    `address` is the session, as commands name it, `session` its folder: what was written of the branch counts, whatever
    the branch is by now, and a file into which the repair was merged gets back what it held then. `merge` takes just
    the repair out of files that hold more by now. Added tests are taken away where their file holds nothing else that
    is new. `is_gone`: there is no such branch any more, and what was noted of it counts alone.
    """
    if root is None:
        raise InputError("This session's files came from no folder: there is nothing to put back.")
    noted, merged = written_changes(session, snapshot.branch), merged_changes(session, snapshot.branch)
    if is_gone and not noted:
        raise InputError(
            f"Branch {snapshot.branch} was written to {root} and is gone, and what it wrote there is not known.",
            "Put the files back by hand, or from git.",
        )
    changes = [] if is_gone else _wanted(snapshot, root, whole=False)
    tests = [added_tests(snapshot)] if offers_tests(snapshot) and not is_gone else []
    changes += [one for one in tests if one.path in merged or holds_tests(snapshot, root)]
    changes = [*({change.path: change for change in changes} | noted).values()]
    plain = tuple(FileChange(c.path, c.after, c.before or "") for c in changes)
    written = (merged.get(change.path, change) for change in changes)
    back = tuple(FileChange(c.path, c.after, c.before or "") for c in written)
    names = ("your file", "healed", "as the session took it")
    try:
        return _compared(Writing(root, back, back, plain, names=names, puts_back=True), merge)
    except FileChanged as error:
        raise FileChanged(
            f"{error.path} is not as the repair left it: nothing was put back.",
            f"To take just the repair out of it: selfheal sessions apply {address} --undo --merge",
            error.path,
        ) from error


def still_written(session: Path) -> Path | None:
    """Return the folder that holds what was written of a session, whatever its branch is by now; None for none.

    One whose files the user changed since holds it too, as far as one knows.
    """
    applied = applied_to(session)
    if applied is None:
        return None
    folder = Path(applied.folder)
    changes = [*written_changes(session, applied.branch).values()]
    try:
        is_back = bool(changes) and len(pending_changes(folder, changes)) == len(changes)
    except FileChanged:
        is_back = False
    except InputError:
        is_back = True  # a file that is gone holds nothing
    return None if is_back else folder


def _tests_to_add(snapshot: Snapshot, folder: Path) -> FileChange:
    """Return the change that adds the new cases, or those learnt since others were written. Raises: InputError."""
    tests = added_tests(snapshot)
    (now,) = read_now(folder, [tests])
    text = (now or b"").decode("utf-8", "replace")
    return (added_onto(snapshot, text) if now is not None else None) or tests


def holds_tests(snapshot: Snapshot, root: Path) -> bool:
    """Tell whether a test file of the folder holds the session's new cases, and nothing else that is new."""
    if not offers_tests(snapshot):
        return False
    tests = added_tests(snapshot)
    (now,) = read_now(root, [tests])
    return now is not None and now == file_bytes(tests, tests.after, now)


def merged_words(writing: Writing) -> str:
    """Say what a merge leaves to do; empty where nothing was merged."""
    changed = [one.path for one, given in zip(writing.wanted, writing.changes, strict=True) if one != given]
    if not writing.merged or not changed:
        return ""
    marks = f", with {writing.conflict_words} marked" if writing.conflicts else ""
    return f"Merged into {' and '.join(changed)}, which changed meanwhile{marks}: no suite ran over that yet."


def write(writing: Writing, session: Path, branch: str, permit: Permit) -> list[Path]:
    """Make all pending changes or none; return the files written. Raises: InputError.

    A note in `session`, the folder of the session, says that `branch` was written; putting it back takes that away.
    `permit`: the user's hook was asked.
    """
    try:
        writing.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{writing.folder} cannot be made: {error.strerror}.") from error
    try:
        written = write_changes(writing.folder, writing.pending)
    except FileChanged as error:
        if not writing.puts_back:
            raise
        raise InputError(
            f"{error.path} was changed while you were asked: nothing was put back.",
            "Ask again, to see what it holds now.",
        ) from error
    if writing.is_home:
        merged = {change.path: change for change in writing.pending} if writing.merged and not writing.puts_back else {}
        # What an earlier merge wrote is still there where this one only adds to it.
        note_merged(session, branch, [*(merged_changes(session, branch) | merged).values()] if merged else ())
    if writing.puts_back:
        note_put_back(session)
        note_written(session, branch, ())
    elif writing.is_home:
        note_applied(session, branch, writing.folder)
        note_written(session, branch, writing.changes)
    return written


def unnoted_words(writing: Writing, session: Path, branch: str, address: str) -> str:
    """Say that it could not be noted that `branch` was written, and what puts the files back; empty where it was.

    `session` is the session's folder, `address` the session as commands name it.
    """
    if not writing.is_home or writing.puts_back or applied_branch(session) == branch:
        return ""
    command = f"selfheal sessions apply {address} --branch {quote(branch)} --undo"
    why = f"That this was written could not be noted in {session}, so `apply --undo` needs the session."
    return f"{why} To put the files back: {command}"


def _compared(writing: Writing, merge: bool) -> Writing:
    """Return the writing with what the folder lacks of it. Raises: as `plan_writing`."""
    if not merge:
        return replace(writing, pending=tuple(pending_changes(writing.folder, writing.wanted)))
    wanted, conflicts = merge_changes(writing.folder, writing.wanted, writing.names)
    pending = tuple(pending_changes(writing.folder, wanted))
    return replace(writing, wanted=tuple(wanted), pending=pending, conflicts=tuple(conflicts), merged=True)


def _wanted(snapshot: Snapshot, folder: Path, *, whole: bool) -> list[FileChange]:
    """Return what is to be written; `whole`: every program file, those that the folder lacks included."""
    if not whole:
        return [change for change in changes_of(snapshot.base, snapshot.program) if change.before is not None]
    there = {path for path in snapshot.program if os.path.lexists(folder / path)}
    return [
        FileChange(path, snapshot.base.get(path) if path in there else None, text)
        for path, text in sorted(snapshot.program.items())
    ]
