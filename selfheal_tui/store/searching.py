"""What a search over a session reads: states oldest first, bodies by hash, model calls. Writes nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from .damage import UNDECODABLE, reading
from .packing import unpack
from .session_db import SessionDB

_T = TypeVar("_T")
_AT_ONCE = 200
"""Rows of one read: between two of them others get their turn."""


class SavedState(NamedTuple):
    """A moment and what the graph's channels hold there; nothing where that cannot be read."""

    row: int
    checkpoint_id: str
    values: Mapping[str, Any]


class SavedCall(NamedTuple):
    """A model call and the moment that asked it."""

    asked_at: str
    branch: str
    role: str
    model: str
    prompt: str
    reply: str


class CallPlace(NamedTuple):
    """Where a call stands among all calls."""

    asked_at: str = ""
    branch: str = ""
    number: int = -1


class SearchRows:
    """The rows of an open session, a few hundred at a time; what is altered is left out."""

    def __init__(self, db: SessionDB) -> None:
        self._db = db

    async def states(self, after: int, read: Callable[[SavedState], _T]) -> tuple[list[_T], int]:
        """Return what `read`, called beside the event loop, makes of the states after a row; and the last row read."""
        rows = await self._db.rows(
            "select rowid, checkpoint_id, type, checkpoint from checkpoints where checkpoint_ns='' and rowid>? "
            "order by rowid limit ?",
            (after, _AT_ONCE),
        )
        return await asyncio.to_thread(_read_states, rows, read), int(rows[-1][0]) if rows else after

    async def texts(self, refs: Sequence[str]) -> dict[str, str]:
        """Return ref -> body of a few hundred."""
        marks = ",".join("?" * len(refs))
        rows = await self._db.rows(f"select ref, body from blob where ref in ({marks})", tuple(refs))
        return await asyncio.to_thread(_unpacked, rows)

    async def calls(self, after: CallPlace) -> tuple[list[SavedCall], CallPlace]:
        """Return the calls after a place, those served again left out; and the place of the last one."""
        rows = await self._db.rows(
            "select u.asked_at, u.branch, u.number, u.unread, c.role, c.model, c.prompt, c.reply from call_use u "
            "left join call c on c.key=u.key and u.unread='' where u.replayed=0 "
            "and (u.unread<>'' or c.key is not null) and (u.asked_at, u.branch, u.number)>(?, ?, ?) "
            "order by 1, 2, 3 limit ?",
            (*after, _AT_ONCE),
        )
        last = CallPlace(*rows[-1][:3]) if rows else after
        return await asyncio.to_thread(_read_calls, rows), last


def _read_states(rows: Sequence[tuple[Any, ...]], read: Callable[[SavedState], _T]) -> list[_T]:
    from .serde import StateSerde

    serde, results = StateSerde(), []
    for row, checkpoint_id, kind, body in rows:
        try:
            values = dict(serde.loads_typed((kind, body))["channel_values"])
        except UNDECODABLE:
            values = {}
        results.append(read(SavedState(int(row), str(checkpoint_id), values)))
    return results


def _unpacked(rows: Sequence[tuple[Any, ...]]) -> dict[str, str]:
    texts = {}
    for ref, body in rows:
        try:
            texts[str(ref)] = unpack(body)
        except UNDECODABLE:
            continue
    return texts


def _read_calls(rows: Sequence[tuple[Any, ...]]) -> list[SavedCall]:
    calls = []
    for asked_at, branch, _, unread, role, model, prompt, reply in rows:
        with reading("a recorded call"):
            body = json.loads(unread) if unread else {"role": role, "model": model, "prompt": unpack(prompt)}
            said = str(body["reply"]) if unread else unpack(reply)
            calls.append(SavedCall(str(asked_at), str(branch), body["role"], body["model"], body["prompt"], said))
    return calls
