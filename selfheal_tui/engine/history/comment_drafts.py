"""Comments on lines that were not sent yet: kept with the session, so that leaving and crashes lose none."""

from __future__ import annotations

import json
from collections.abc import Sequence

from selfheal_tui.store.blobs import json_text
from selfheal_tui.store.damage import reading
from selfheal_tui.store.session_db import SessionDB, header_values

from ..moment.review import Comment

DRAFT = "comments:"
"""Prefix of the header values that hold them; the checkpoint of the question follows."""


class CommentDrafts:
    """The unsent comments of a session."""

    def __init__(self, db: SessionDB) -> None:
        self._db = db

    async def load(self, checkpoint_id: str) -> list[Comment]:
        """Return those on a question."""
        text = await self._db.get_meta(DRAFT + checkpoint_id)
        with reading("your comments"):
            return list(json.loads(text)) if text else []

    async def save(self, checkpoint_id: str, comments: Sequence[Comment]) -> None:
        """Keep these as the comments on a question."""
        value = json_text(list(comments)) if comments else None
        await self._db.write_all(header_values({DRAFT + checkpoint_id: value}))


def as_sent(checkpoint_id: str, draft: Sequence[Comment]) -> dict[str, list[str | None]]:
    """Return the header values of an act that sends these comments: when it is undone they are unsent again."""
    return {DRAFT + checkpoint_id: [json_text(list(draft)), None]} if draft else {}
