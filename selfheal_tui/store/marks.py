"""Header values about branches: one for each branch and kind of mark, and one that names where the session stands."""

from __future__ import annotations

from .session_db import SessionDB

NOTE, PIN, HIDE = "note:", "pin:", "hide:"
PROMPTS = "prompts:"
"""Prefix of the header values that hold the prompts folder of a race's lane."""
MARKS = (NOTE, PIN, HIDE, PROMPTS)
"""Prefixes; the branch's name follows."""
TITLE = "title"
"""Key of the session's title."""
STANDS = "stands"
"""The header value that names the branch on which the session goes on."""
DELETED = "deleted"
"""What `hide:` says of a branch that is removed when the session is closed."""
COMMENTS, TEXTS, CHOICES, TRIES = "comments:", "texts:", "choices:", "tries:"
UNSENT = (COMMENTS, TEXTS, CHOICES, TRIES)
"""Prefixes of header values, each followed by the checkpoint of a question: what the user did there and did not send.

Comments on lines, texts of the editors, hunks left out and candidates marked, and results of trying that go along.
"""


async def read_marks(db: SessionDB) -> dict[str, dict[str, str]]:
    """Return branch -> prefix -> value, for the marks that the user sets."""
    by_branch: dict[str, dict[str, str]] = {}
    for prefix in (NOTE, PIN, HIDE):
        rows = await db.rows(
            "select substr(key, ?), value from meta where key>=? and key<?",
            (len(prefix) + 1, prefix, prefix[:-1] + ";"),
        )
        for branch, value in rows:
            by_branch.setdefault(str(branch), {})[prefix] = str(value)
    return by_branch
