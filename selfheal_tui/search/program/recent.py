"""A change that a program line saw lately: of two lines as suspicious, the one that was changed is likelier wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from selfheal_tui.line_blocks import carried_lines

At = tuple[str, int]
"""Program path and 1-based line."""
UNCHANGED_WEIGHT = 0.9
"""What the suspiciousness of other lines is multiplied by: a tenth less at most, so that coverage leads."""


@dataclass(frozen=True, slots=True)
class RecentChange:
    """The newest change of a line."""

    commit: str
    """`1a2b3c4 Add tax`; empty for a change that was not committed when the session began."""
    age: str
    """How long ago it was committed, as `2 days ago`; empty when it was not."""
    old: str = ""
    """What stood in the place of its lines before, with line ends; told of short changes only."""
    rows: int = 0
    """How many lines in a row stand for `old`; 0 where that is not told."""

    @property
    def words(self) -> str:
        """What happened, half a sentence: `changed by 1a2b3c4 Add tax (2 days ago)`."""
        return f"changed by {self.commit} ({self.age})" if self.commit else "changed, not committed"

    @property
    def before(self) -> str:
        """What its lines are when it is taken back: `as before 1a2b3c4`."""
        return f"as before {self.commit.partition(' ')[0]}" if self.commit else "as in the last commit"

    @property
    def weight(self) -> float:
        """What the line's suspiciousness is multiplied by, where that of other lines is by `UNCHANGED_WEIGHT`."""
        return 0.95 if self.commit else 1.0


def carried_changes(
    recent: Mapping[At, RecentChange], before: Mapping[str, str], after: Mapping[str, str]
) -> dict[At, RecentChange]:
    """Return the changes of lines of `before` (path -> text) that stand in `after` too, by their lines there."""
    carried: dict[At, RecentChange] = {}
    for path in sorted({path for path, _ in recent} & before.keys() & after.keys()):
        lines = carried_lines(before[path], after[path])
        carried |= {
            (path, lines[line]): change for (where, line), change in recent.items() if where == path and line in lines
        }
    return carried
