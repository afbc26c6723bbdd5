"""What a change brings back: lines of it that are again as git had them before a recent change. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from selfheal_tui.line_blocks import blocks, merged, split_lines

from .recent import At, RecentChange


@dataclass(frozen=True, slots=True)
class BroughtBack:
    """The part of a change that git explains."""

    texts: Mapping[str, str] = field(default_factory=dict)
    """Path -> the text before with only this part of the change; files without such a part are absent."""
    changes: tuple[RecentChange, ...] = ()
    """The recent changes that are taken back."""
    whole: bool = False
    """There is no other part."""

    @property
    def words(self) -> str:
        """Say in a few words as what it is again: `as before 1a2b3c4`; empty where git explains nothing."""
        if not self.changes:
            return ""
        origins = [*dict.fromkeys(change.before for change in self.changes)]
        return f"{'' if self.whole else 'partly '}{origins[0]}{' and others' if len(origins) > 1 else ''}"


def whole_changes(recent: Mapping[At, RecentChange], path: str) -> list[tuple[int, RecentChange]]:
    """Return first line (1-based) and change of those whose lines all still stand in a file, and of which it is told
    what stood there before."""
    lines = {line: change for (where, line), change in recent.items() if where == path and change.rows}
    return [
        (first, change)
        for first, change in sorted(lines.items(), key=lambda one: one[0])
        if lines.get(first - 1) != change and all(lines.get(first + n) == change for n in range(change.rows))
    ]


@lru_cache(maxsize=64)
def text_before(text: str, first: int, change: RecentChange) -> str:
    """Return a file's text with what a change replaced in its place again; it begins at line `first`, from 1."""
    lines = split_lines(text)
    newline = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    old = change.old.replace("\n", newline)
    if not lines[first + change.rows - 2].endswith("\n"):
        old = old.rstrip("\r\n")
    return "".join([*lines[: first - 1], old, *lines[first + change.rows - 1 :]])


def brought_back(
    program: Mapping[str, str], changes: Mapping[str, str], recent: Mapping[At, RecentChange]
) -> BroughtBack:
    """Return which part of `changes` (path -> new text) of a program (path -> text) brings back what git had.

    `recent` are changes of the program's lines.
    """
    texts: dict[str, str] = {}
    taken: list[RecentChange] = []
    for path, text in changes.items():
        before = program.get(path, "")
        hunks = whole_changes(recent, path)
        own = [hunk for hunk in hunks if _is_on_the_way(before, text_before(before, *hunk), text)]
        versions = [text_before(before, *hunk) for hunk in own]
        if versions and (joined := merged(before, versions)) is not None:
            texts[path] = joined
            taken += [change for _, change in own]
    return BroughtBack(texts, tuple(taken), bool(texts) and texts == dict(changes))


def with_git_had(
    program: Mapping[str, str], changes: Mapping[str, str], recent: Mapping[At, RecentChange]
) -> Mapping[str, str]:
    """Return the program with what `changes` bring back: against this stands only what somebody made up."""
    back = brought_back(program, changes, recent).texts if recent else {}
    return {**program, **back} if back else program


def _is_on_the_way(before: str, between: str, after: str) -> bool:
    """Tell whether what leads from one text to another has all that leads to a third one in between."""
    own = _distance(before, between)
    return own > 0 and _distance(before, after) == own + _distance(between, after)


@lru_cache(maxsize=256)
def _distance(before: str, after: str) -> int:
    """Return how many lines go and come."""
    changed = (block for block in blocks(split_lines(before), split_lines(after)) if block.hunk)
    return sum(block.old_to - block.old_from + block.new_to - block.new_from for block in changed)
