"""Which moment made which model call, and whether it was paid, replayed from the ledger, or could not be read.

A moment is the checkpoint that a node ran from, on the branch that it ran for: forks of one checkpoint ask apart.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from selfheal_tui.llm.base import Request, Usage

from .blobs import json_text
from .clock import now_at
from .damage import reading
from .packing import unpack
from .sent import answered
from .session_db import SessionDB, Statement


class Asker(NamedTuple):
    """The moment that a node asks from."""

    checkpoint_id: str
    """The checkpoint that the node runs from; empty outside a run, where nothing is noted."""
    branch: str


OUTSIDE = Asker("", "")
"""A node that is called outside a run."""


@dataclass(frozen=True, slots=True)
class UsedCall:
    """A call that a moment made."""

    role: str
    model: str
    """`provider:model`."""
    prompt: str
    """System and user text as they were sent."""
    reply: Any
    """The validated reply; the text as it came where it could not be read."""
    usage: Usage
    """Of this call alone; of a replayed one, what it had cost when it was paid."""
    time_s: float
    """Wall clock of the call, its waits and retries included; 0 for a replayed one."""
    at: str
    """UTC, ISO 8601."""
    replayed: bool
    degraded: str
    written_by: str
    """Prompt file, its version and sha256."""
    number: int = -1
    """Which of the moment's calls it is."""


class CallNotes:
    """Makes the statements that note the calls for one reply, each for the transaction that records its outcome."""

    def __init__(self, asker: Asker, model: str, written_by: str) -> None:
        self._asker, self._model, self._written_by = asker, model, written_by
        self._began = time.monotonic()
        self._sent: list[int] = []

    def sent(self, row: int) -> None:
        """Remember a request by its row in the sent table: it belongs to the call that is noted next."""
        self._sent.append(row)

    @property
    def unanswered(self) -> list[int]:
        """Return the rows of the requests that no call was noted for yet."""
        return list(self._sent)

    def paid(self, key: str, usage: Usage) -> list[Statement]:
        """Note a call that was paid now; its reply is recorded under `key`."""
        return self._noted(key, 0, usage, "")

    def replayed(self, key: str) -> list[Statement]:
        """Note that the reply under `key` was served again; a node that runs again has noted it already."""
        return self._noted(key, 1, None, "")

    def unread(self, request: Request, reply: str, why: str, usage: Usage) -> list[Statement]:
        """Note a reply that could not be read: it is kept nowhere else."""
        body = {
            "role": request.role,
            "model": self._model,
            "prompt": request.system + "\n\n" + request.user,
            "reply": reply,
            "degraded": why,
            "written_by": self._written_by,
        }
        return self._noted("", 0, usage, json_text(body))

    def _noted(self, key: str, replayed: int, usage: Usage | None, unread: str) -> list[Statement]:
        """Return the note of a call; its time is that since the last note, or 0 for a replayed one."""
        began, self._began = self._began, time.monotonic()
        sent, self._sent = self._sent, []
        if not self._asker.checkpoint_id:
            return []
        time_s = 0.0 if replayed else round(self._began - began, 3)
        paid = json_text(asdict(usage)) if usage else ""
        where = self._asker
        noted = (*where, *where, key, replayed, paid, time_s, now_at(), unread, key, *where, key)
        return [(_NOTE_SQL, noted), *answered(sent, where)]


_NOTE_SQL = """
insert into call_use select ?, ?, (select count(*) from call_use where asked_at=? and branch=?), ?, ?, ?, ?, ?, ?
where ?='' or not exists (select 1 from call_use where asked_at=? and branch=? and key=?)
"""


class CallUses:
    """The call_use table of a session's file."""

    def __init__(self, db: SessionDB) -> None:
        self._db = db

    async def askers(self) -> set[Asker]:
        """Return the moments that made calls."""
        return {Asker(*row) for row in await self._db.rows("select distinct asked_at, branch from call_use")}

    async def of(self, asker: Asker) -> list[UsedCall]:
        """Return what a moment asked, in the order it was noted."""
        rows = await self._db.rows(
            "select u.number, u.usage, u.time_s, u.at, u.replayed, u.unread, c.role, c.model, c.prompt, c.reply, "
            "c.usage, c.degraded, c.written_by from call_use u left join call c on c.key=u.key and u.unread='' "
            "where u.asked_at=? and u.branch=? and (u.unread<>'' or c.key is not null) order by u.number",
            asker,
        )
        return [_used(row) for row in rows]


def _used(row: tuple[Any, ...]) -> UsedCall:
    with reading("a recorded call"):
        return _call(row)


def _call(row: tuple[Any, ...]) -> UsedCall:
    number, usage, time_s, at, replayed, unread, role, model, prompt, reply, paid, degraded, written_by = row
    call: Mapping[str, Any] = (
        json.loads(unread)
        if unread
        else {
            "role": role,
            "model": model,
            "prompt": unpack(prompt),
            "reply": json.loads(unpack(reply)),
            "degraded": degraded,
            "written_by": written_by,
        }
    )
    cost = Usage(**json.loads(usage or paid))
    return UsedCall(**call, usage=cost, time_s=time_s, at=at, replayed=bool(replayed), number=number)
