"""What the user says of branches and where the session stands: header values of the session file, one a branch."""

from __future__ import annotations

from selfheal_tui.store.session_db import SessionDB

from ..moment.timeline import BranchMark

NOTE, PIN, HIDE = "note:", "pin:", "hide:"
PROMPTS = "prompts:"
"""Prefix of the header values that hold the prompts folder of a race's lane."""
MARKS = (NOTE, PIN, HIDE, PROMPTS)
"""Prefixes; the branch's name follows."""
STANDS = "stands"
"""The header value that names the branch on which the session goes on."""
DELETED = "deleted"
"""What `hide:` says of a branch that is removed when the session is closed."""


async def load_marks(db: SessionDB) -> dict[str, BranchMark]:
    """Return the marks by branch."""
    found: dict[str, dict[str, str]] = {}
    for prefix in (NOTE, PIN, HIDE):
        rows = await db.rows(
            "select substr(key, ?), value from meta where key>=? and key<?",
            (len(prefix) + 1, prefix, prefix[:-1] + ";"),
        )
        for name, value in rows:
            found.setdefault(str(name), {})[prefix] = str(value)
    return {name: BranchMark(marks.get(NOTE, ""), PIN in marks, marks.get(HIDE, "")) for name, marks in found.items()}
