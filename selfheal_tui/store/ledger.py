"""Every paid model reply by the hash of its request: what was paid once is never paid again.

Only validated replies enter: a bad one stored as done would be served for ever. One that could not be read is kept as
a draft, only while the model is asked for it again: a crash in between does not ask for it a third time. What tools
saw is kept, so that a replayed conversation goes on as it did.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypedDict

from selfheal_tui.llm.base import Request, Usage

from .bills import new_bill
from .blobs import json_text, text_ref
from .clock import now_at
from .damage import reading
from .packing import pack, unpack
from .session_db import SessionDB, Statement

SENT = "sent:"
"""Prefix of the header values that lead from a whole question to the request that was really sent."""
SEEN = "seen:"
"""Prefix of the header values that hold the ref of what a tool saw."""


@dataclass(frozen=True, slots=True)
class PaidReply:
    """A validated reply."""

    value: dict[str, Any]
    usage: Usage
    degraded: str
    """Why it had to be salvaged or asked for twice; empty when it was fine."""
    key: str = ""
    """What it is recorded under; empty before it is."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A whole reply as it came, before anybody read it."""

    text: str
    usage: Usage
    cut: str = ""
    """Why it ended early; empty when it did not."""
    hopeless: str = ""
    """Why the correction could not be read either; empty while none has come."""
    given_up: int = 0
    """With `hopeless`: the number that the node which gives up counts among its bills; negative."""


class RecordedCall(TypedDict):
    """A call as it was made and answered."""

    role: str
    model: str
    """`provider:model`."""
    prompt: str
    """System and user text."""
    reply: Any
    """The validated reply."""
    usage: dict[str, Any]
    """`input_tokens`, `output_tokens`, `cost_usd` (None: unknown)."""
    degraded: str
    at: str
    """UTC, ISO 8601."""
    written_by: str
    """Prompt file, its version and sha256."""


_LATER_FIELDS = ("effort", "room_tokens", "wider", "moment", "grown")


def request_key(provider: str, request: Request) -> str:
    """Return the sha256 of everything that can change the answer.

    Fields that came later count only where they say something, so that older replies are found again.
    """
    fields = {name: value for name, value in asdict(request).items() if value or name not in _LATER_FIELDS}
    return text_ref(json_text([provider, fields]))


class Ledger:
    """The call table of a session's file."""

    def __init__(self, db: SessionDB, lane: str = "") -> None:
        """`lane`: the branch that pays, where branches run side by side."""
        self._db = db
        self._lane = lane

    async def find(self, key: str) -> PaidReply | None:
        """Return the reply that was paid for this request, as it is or shortened; None when it never was."""
        sent = await self._db.get_meta(SENT + key)
        rows = await self._db.rows("select reply, usage, degraded from call where key=?", (sent or key,))
        if not rows:
            return None
        with reading("a recorded reply"):
            return PaidReply(json.loads(unpack(rows[0][0])), _usage(rows[0][1]), str(rows[0][2]), sent or key)

    async def record(
        self,
        key: str,
        provider: str,
        request: Request,
        reply: PaidReply,
        written_by: str,
        paid: Usage | None,
        noted: Sequence[Statement] = (),
    ) -> None:
        """Store a validated reply, before anything uses it, and the bill of the call that brought it.

        `request` is what was really sent: the request of `key`, or a shorter one that fits the model. `written_by`
        names the prompt file that asked; `reply.usage` includes the draft's, `paid` does not and is None for a call
        whose bill is written already. `noted` says which moment asked.
        """
        sent = request_key(provider, request)
        values = (
            sent,
            request.role,
            f"{provider}:{request.model}",
            pack(request.system + "\n\n" + request.user),
            pack(json_text(reply.value)),
            json_text(asdict(reply.usage)),
            reply.degraded,
            now_at(),
            written_by,
        )
        recorded = "insert or replace into call values(?,?,?,?,?,?,?,?,?)", values
        rest = [_no_draft(key)]
        if sent != key:
            rest.append(("insert or replace into meta values(?,?)", (SENT + key, sent)))
        if paid is not None:
            rest.append(new_bill(paid, self._lane))
        await self._db.write_all([recorded, *rest, *noted])

    async def observation(self, key: str) -> str | None:
        """Return the ref of what a tool saw at this point of a conversation; None when it has not run there."""
        return await self._db.get_meta(SEEN + key)

    async def note_observation(self, key: str, ref: str) -> None:
        """Remember what a tool saw: a program that prints the time would lead a replay to requests never paid."""
        await self._db.set_meta(SEEN + key, ref)

    async def all(self) -> list[RecordedCall]:
        """Return every recorded call, oldest first."""
        rows = await self._db.rows(
            "select role, model, prompt, reply, usage, degraded, at, written_by from call order by at, key"
        )
        with reading("a recorded call"):
            return [
                {
                    "role": str(role),
                    "model": str(model),
                    "prompt": unpack(prompt),
                    "reply": json.loads(unpack(reply)),
                    "usage": asdict(_usage(usage)),
                    "degraded": degraded,
                    "at": at,
                    "written_by": written_by,
                }
                for role, model, prompt, reply, usage, degraded, at, written_by in rows
            ]

    async def find_draft(self, key: str) -> Draft | None:
        """Return the unreadable reply to this request, while its correction has not come or could not be read either.

        None when there is none, or when the node that gave it up has been saved: the next to ask begins afresh.
        """
        rows = await self._db.rows("select reply from draft where key=?", (key,))
        if not rows:
            return None
        with reading("a reply that waits for its correction"):
            fields = json.loads(rows[0][0])
            return Draft(**{**fields, "usage": Usage(**fields["usage"])})

    async def record_draft(self, key: str, draft: Draft, noted: Sequence[Statement] = ()) -> None:
        """Keep a reply that could not be read while the model is asked for it again, and write its bill."""
        inserted = "insert or replace into draft values(?,?)", (key, json_text(asdict(draft)))
        await self._db.write_all([inserted, new_bill(draft.usage, self._lane), *noted])

    async def give_up(self, key: str, last: Draft, noted: Sequence[Statement] = ()) -> int:
        """Keep that the correction, `last`, could not be read either, and write its bill; return its number.

        Until the node that counts the number is saved (`bills.settle`): a crash in between must not ask twice more.
        """
        insert_sql = "insert or replace into draft values(?, json_set(?, '$.given_up', -last_insert_rowid()))"
        await self._db.write_all(
            [new_bill(last.usage, self._lane), (insert_sql, (key, json_text(asdict(last)))), *noted]
        )
        now = await self.find_draft(key)
        return now.given_up if now else 0

    async def note(self, noted: Sequence[Statement]) -> None:
        """Write down which moment was served a recorded reply."""
        if noted:
            await self._db.write_all(noted)

    async def record_loss(self, paid: Usage) -> None:
        """Write the bill of a call that broke off and brought nothing."""
        await self._db.write_all([new_bill(paid, self._lane)])


def forget_given_up() -> Statement:
    """Return the statement that lets a resumed run ask again, for the transaction that notes why the run failed."""
    return "delete from draft where json_extract(reply, '$.given_up')<0", ()


def _no_draft(key: str) -> Statement:
    return "delete from draft where key=?", (key,)


def _usage(text: str) -> Usage:
    return Usage(**json.loads(text))
