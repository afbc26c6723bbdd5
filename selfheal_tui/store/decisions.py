"""The journal of human decisions: each is on disk before it takes effect, so a crash cannot lose one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .blobs import json_text
from .clock import now_at
from .damage import reading
from .session_db import SessionDB, Statement


@dataclass(frozen=True, slots=True)
class Journalled:
    """A decision that was made and may not have taken effect yet."""

    id: int
    asked_at: str
    """Checkpoint whose question the user answered."""
    branch: str
    """Where the answer goes: the question's own branch, or a new one when it was answered before."""
    kind: str
    decision: dict[str, Any]


class Decisions:
    """The decision table of a session's file."""

    def __init__(self, db: SessionDB) -> None:
        self._db = db

    async def set_done(self, decision_id: int) -> None:
        """Note that the answer is part of a checkpoint."""
        await self._db.write("update decision set done=1 where id=?", (decision_id,))

    async def was_answered(self, decision: Journalled) -> bool:
        """Tell whether another decision went the same way before, to take effect or not."""
        same = (decision.asked_at, decision.branch, decision.id)
        return bool(await self._db.rows("select 1 from decision where asked_at=? and branch=? and id<?", same))

    async def open_one(self) -> Journalled | None:
        """Return the decision that has not taken effect; None when all have."""
        rows = await self._db.rows(
            "select id, asked_at, branch, kind, value from decision where done=0 order by id desc limit 1"
        )
        if not rows:
            return None
        number, asked_at, branch, kind, value = rows[0]
        with reading("the last decision"):
            return Journalled(int(number), str(asked_at), str(branch), str(kind), dict(json.loads(value)))


def new_decision(asked_at: str, branch: str, kind: str, decision: Mapping[str, Any]) -> list[Statement]:
    """Return what writes a decision, for the transaction that writes its act; an open one is superseded by it."""
    sql = "insert into decision(asked_at, branch, kind, value, made_at, done) values(?,?,?,?,?,0)"
    return [give_up_open(), (sql, (asked_at, branch, kind, json_text(decision), now_at()))]


def give_up_open() -> Statement:
    """Return what keeps a decision that has not taken effect from ever doing so."""
    return "update decision set done=1 where done=0", ()
