"""Which hunks of a candidate are taken, and what the suite said to just those. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from selfheal_tui.engine.moment.hunks import split_hunks, with_hunks
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import Repair
from selfheal_tui.engine.workshop.trial import SuiteTried
from selfheal_tui.text import ranges


@dataclass(frozen=True, slots=True)
class Selection:
    """A choice among the hunks of one candidate."""

    total: int
    left_out: frozenset[int] = frozenset()
    """Numbers of the hunks that are left out."""
    tried: SuiteTried | None = None
    """What this very choice does; None while it is not known, and when nothing is left out."""
    error: str = ""
    """Why it could not be tried; empty when it could."""

    @property
    def taken(self) -> list[int]:
        """Numbers of the hunks that are taken, ascending."""
        return [number for number in range(1, self.total + 1) if number not in self.left_out]

    @property
    def words(self) -> str:
        """Say which hunks are taken and which are not: `hunk 2 is taken, hunk 1 left out`."""
        if not self.taken:
            return "no hunk is taken"
        verb = "is" if len(self.taken) == 1 else "are"
        return f"{hunk_names(self.taken)} {verb} taken, {hunk_names(sorted(self.left_out))} left out"

    def changes(self, snapshot: Snapshot, repair: Repair) -> dict[str, str]:
        """Return path -> text with the hunks that are taken."""
        return with_hunks(_now(snapshot), repair["changes"], self.taken)


def hunk_names(numbers: list[int]) -> str:
    """Name hunks: `hunk 2`, `hunks 1-3`."""
    return f"hunk{'s' * (len(numbers) > 1)} {ranges(numbers)}"


def selection_of(snapshot: Snapshot, repair: Repair, changes: Mapping[str, str]) -> Selection | None:
    """Return the choice with which a repair becomes `changes`; None where it is all of it, or no choice of hunks."""
    now = _now(snapshot)
    there = {(one.path, one.line, one.removed, one.added) for one in split_hunks(now, changes)}
    hunks = split_hunks(now, repair["changes"])
    left_out = frozenset(one.number for one in hunks if (one.path, one.line, one.removed, one.added) not in there)
    selection = Selection(len(hunks), left_out)
    is_it = selection.changes(snapshot, repair) == {
        path: text for path, text in changes.items() if now.get(path) != text
    }
    return selection if left_out and is_it else None


def whole(snapshot: Snapshot, repair: Repair) -> Selection:
    """Return the choice of all hunks."""
    return Selection(len(split_hunks(_now(snapshot), repair["changes"])))


def _now(snapshot: Snapshot) -> dict[str, str]:
    return {**snapshot.tests, **snapshot.program}
