"""What the user says of branches: a note, a pin, whether it is hidden."""

from __future__ import annotations

from selfheal_tui.store.marks import HIDE, NOTE, PIN, read_marks
from selfheal_tui.store.session_db import SessionDB

from ..moment.timeline import BranchMark


async def load_marks(db: SessionDB) -> dict[str, BranchMark]:
    """Return the marks by branch."""
    return {
        branch: BranchMark(marks.get(NOTE, ""), PIN in marks, marks.get(HIDE, ""))
        for branch, marks in (await read_marks(db)).items()
    }
