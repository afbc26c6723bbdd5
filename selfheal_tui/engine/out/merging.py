"""A repair on its way into a file that changed meanwhile: git's three-way merge.

Base is the file as the session took it, ours the file as it is now, theirs the healed one. Blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.git import merge_texts
from selfheal_tui.python_encoding import decoded
from selfheal_tui.store.writing import FileChange, file_bytes, read_now
from selfheal_tui.text import plural

NAMES = ("your file", "as the session took it", "healed")


@dataclass(frozen=True, slots=True)
class Conflicts:
    """What one file's merge could not decide."""

    path: str
    count: int
    text: str
    """The merge's result from the first mark to the last."""


def merge_changes(
    folder: Path, changes: Sequence[FileChange], names: tuple[str, str, str] = NAMES
) -> tuple[list[FileChange], list[Conflicts]]:
    """Return the changes that bring the same into the files as they are now, and where both sides changed a place.

    A text with conflicts holds git's marks. Raises: InputError for a file that is gone, no text, or no plain file.
    """
    merged, conflicts = [], []
    for change, now in zip(changes, read_now(folder, changes), strict=True):
        if now is None:
            gone = f"{folder / change.path} is not there any more, so nothing can be merged into it."
            raise InputError(gone, "Nothing was written.")
        content, count = merge_into(change, now, names)
        before, after = _text(folder, change, now), _text(folder, change, content)
        merged.append(FileChange(change.path, before, after))
        if count:
            conflicts.append(Conflicts(change.path, count, _marked(after)))
    return merged, conflicts


def merge_into(change: FileChange, ours: bytes, names: tuple[str, str, str] = NAMES) -> tuple[bytes, int]:
    """Return a file's content with the change merged into it, and how many conflicts that marks. Raises: InputError."""
    base, theirs = (file_bytes(change, text, ours) for text in (change.before or "", change.after))
    if ours in (base, theirs):
        return theirs, 0
    return merge_texts(base, ours, theirs, names)


def conflict_words(conflicts: Sequence[Conflicts]) -> str:
    """Say where: `2 conflicts in shop.py and cart.py`."""
    paths = " and ".join(one.path for one in conflicts)
    return f"{plural(sum(one.count for one in conflicts), 'conflict')} in {paths}"


def _text(folder: Path, change: FileChange, content: bytes) -> str:
    try:
        return decoded(change.path, content)
    except UnicodeDecodeError as error:
        raise InputError(f"{folder / change.path} is no text any more.", "Nothing was written.") from error


def _marked(text: str) -> str:
    lines = text.splitlines(keepends=True)
    at = [number for number, line in enumerate(lines) if line.startswith(("<<<<<<<", ">>>>>>>"))]
    return "".join(lines[at[0] : at[-1] + 1]) if at else text
