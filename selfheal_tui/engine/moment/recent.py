"""Which lines of the program were changed lately, as git told when the session began, at one moment of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict, cast

from selfheal_tui.line_blocks import split_lines
from selfheal_tui.search.program.recent import At, RecentChange, carried_changes
from selfheal_tui.store.blobs import Blobs
from selfheal_tui.text import one_line

from .state import HealState


class RecentLines(TypedDict):
    """Lines of a program file as given that one change made."""

    path: str
    first: int
    """1-based."""
    last: int
    """The last of them, as `first` counts."""
    commit: str
    """`1a2b3c4 Add tax`; empty for a change that is not committed."""
    age: str
    """`2 days ago`, when the session began; empty for a change that is not committed."""
    old: NotRequired[str]
    """What stood in the place of these lines, with line ends; absent where the change is long, or not whole here."""


async def load_recent(
    blobs: Blobs, state: HealState, base: Mapping[str, str], program: Mapping[str, str]
) -> dict[At, RecentChange]:
    """Return the changes of the lines of `program` (path -> text); `base` is the program as given.

    Empty where git told nothing, and in sessions of before. Raises: SessionError when the body is damaged.
    """
    ref = state.get("recent_ref", "")
    saved = cast(Sequence[RecentLines], await blobs.get(ref)) if ref else ()
    return carried_changes(changes_by_line(saved, base), base, program)


def changes_by_line(saved: Sequence[RecentLines], base: Mapping[str, str]) -> dict[At, RecentChange]:
    """Return the change of each line of the program as given; what was saved may come from elsewhere."""
    counts = {lines["path"]: len(split_lines(base.get(lines["path"], ""))) for lines in saved}
    return {
        (lines["path"], line): _change_of(lines)
        for lines in saved
        for line in range(max(lines["first"], 1), min(lines["last"], counts[lines["path"]]) + 1)
    }


def _change_of(lines: RecentLines) -> RecentChange:
    old, rows = lines.get("old"), lines["last"] - lines["first"] + 1
    commit, age = one_line(lines["commit"], 100), one_line(lines["age"], 40)
    return RecentChange(commit, age) if old is None else RecentChange(commit, age, old, rows)
