"""Every paid model reply by the hash of its request: what was paid once is never paid again.

Only validated replies enter: a bad one stored as done would be served for ever.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from selfheal_tui.llm.base import Request, Usage

from .blobs import json_text, text_ref
from .clock import now_at
from .session_db import SessionDB

_SENT = "sent:"
"""Prefix of the header values that lead from a whole question to the request that was really sent."""


@dataclass(frozen=True, slots=True)
class PaidReply:
    """A validated reply."""

    value: dict[str, Any]
    usage: Usage
    degraded: str
    """Why it had to be salvaged or asked for twice; empty when it was fine."""


def request_key(provider: str, request: Request) -> str:
    """Return the sha256 of everything that can change the answer."""
    return text_ref(json_text([provider, asdict(request)]))


class Ledger:
    """The call table of a session's file."""

    def __init__(self, db: SessionDB) -> None:
        self._db = db

    async def find(self, key: str) -> PaidReply | None:
        """Return the reply that was paid for this request, as it is or shortened; None when it never was."""
        sent = await self._db.get_meta(_SENT + key)
        rows = await self._db.rows("select reply, usage, degraded from call where key=?", (sent or key,))
        if not rows:
            return None
        return PaidReply(json.loads(rows[0][0]), Usage(**json.loads(rows[0][1])), str(rows[0][2]))

    async def note_sent(self, key: str, sent: str) -> None:
        """Remember that what `key` asks was sent, shortened to fit the model, as the request of key `sent`."""
        await self._db.set_meta(_SENT + key, sent)

    async def record(self, key: str, provider: str, request: Request, reply: PaidReply, written_by: str) -> None:
        """Store a validated reply, before anything uses it; `written_by` names the prompt file that asked."""
        await self._db.write(
            "insert or replace into call values(?,?,?,?,?,?,?,?,?)",
            (
                key,
                request.role,
                f"{provider}:{request.model}",
                request.system + "\n\n" + request.user,
                json_text(reply.value),
                json_text(asdict(reply.usage)),
                reply.degraded,
                now_at(),
                written_by,
            ),
        )
