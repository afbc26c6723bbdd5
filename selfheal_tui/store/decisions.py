"""The journal of human decisions: each is on disk before it takes effect, so a crash cannot lose one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from .blobs import json_text
from .clock import now_at
from .session_db import SessionDB


@dataclass(frozen=True, slots=True)
class Journalled:
    """A decision that was made and may not have taken effect yet."""

    id: int
    asked_at: str
    """Checkpoint whose question the user answered."""
    target: str
    """Checkpoint that receives the answer: `asked_at`, or its fork; empty until the fork exists."""
    branch: str
    kind: str
    value: dict[str, Any]


class Decisions:
    """The decision table of a session's file."""

    def __init__(self, db: SessionDB) -> None:
        self._db = db

    async def record(self, asked_at: str, target: str, branch: str, kind: str, value: Any) -> int:
        """Write a decision down; return its id."""
        return await self._db.write(
            "insert into decision(asked_at, target, branch, kind, value, made_at, done) values(?,?,?,?,?,?,0)",
            (asked_at, target, branch, kind, json_text(value), now_at()),
        )

    async def set_target(self, decision_id: int, target: str) -> None:
        """Note the fork that receives the answer."""
        await self._db.write("update decision set target=? where id=?", (target, decision_id))

    async def set_done(self, decision_id: int) -> None:
        """Note that the answer is part of a checkpoint."""
        await self._db.write("update decision set done=1 where id=?", (decision_id,))

    async def open_one(self) -> Journalled | None:
        """Return the newest decision that has not taken effect; None when all have."""
        rows = await self._db.rows(
            "select id, asked_at, target, branch, kind, value from decision where done=0 order by id desc limit 1"
        )
        if not rows:
            return None
        number, asked_at, target, branch, kind, value = rows[0]
        return Journalled(number, asked_at, target, branch, kind, json.loads(value))
