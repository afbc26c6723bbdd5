"""What left this machine: a row for each request that holds a prompt, on disk before the request goes out.

A row says what is about to be sent: when the process dies in between, it says more than left, never less.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from .blobs import json_text
from .clock import now_at
from .damage import reading
from .session_db import SessionDB, Statement

NO_CALL = -1
"""Number of a request that no call was noted for: it failed, or nobody waited for its answer."""
ANSWERED, FAILED = "answered", "failed"


class SentFile(TypedDict):
    """A file whose content was in a request."""

    path: str
    """In the frozen copy."""
    whole: bool
    """All of it; otherwise a part."""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request that was handed to the network."""

    at: str
    """UTC, ISO 8601: just before."""
    asked_at: str
    """The checkpoint that the node ran from; empty outside a run."""
    branch: str
    number: int
    """Which of that moment's calls it belongs to (`UsedCall.number`); NO_CALL when none was answered."""
    role: str
    model: str
    """`provider:model`."""
    address: str
    """`scheme://host:port`."""
    size_bytes: int
    """Of the request's body."""
    files: tuple[SentFile, ...]
    outcome: str
    """answered, failed; empty when nothing was heard of it."""


class SentLog:
    """The sent table of a session's file."""

    def __init__(self, db: SessionDB) -> None:
        self._db = db

    async def note(
        self, asker: tuple[str, str], role: str, model: str, address: str, size_bytes: int, files: Sequence[SentFile]
    ) -> int:
        """Write down a request that is about to leave; return the row's id. Raises: SessionError."""
        values = (now_at(), *asker, NO_CALL, role, model, address, size_bytes, json_text(list(files)), "")
        return await self._db.write(f"insert into sent({_COLUMNS}) values(?,?,?,?,?,?,?,?,?,?)", values)

    async def note_failed(self, ids: Sequence[int]) -> None:
        """Write down that requests had no answer that could be used."""
        if ids:
            await self._db.write_all([(_OUTCOME_SQL, (FAILED, number)) for number in ids])

    async def all(self) -> list[SentRequest]:
        """Return every request of the session, in the order they left. Raises: SessionError when damaged."""
        return await self._requests("")

    async def of(self, asker: tuple[str, str]) -> list[SentRequest]:
        """Return the requests of a moment, in the order they left. Raises: SessionError when damaged."""
        return await self._requests("where asked_at=? and branch=?", asker)

    async def _requests(self, where: str, values: Sequence[Any] = ()) -> list[SentRequest]:
        if not await self._db.rows("select 1 from sqlite_master where type='table' and name='sent'"):
            return []  # an earlier selfheal wrote the session, and it lies where nothing can be written
        rows = await self._db.rows(f"select {_COLUMNS} from sent {where} order by id", values)
        with reading("what was sent"):
            return [_request(row) for row in rows]


_COLUMNS = "at, asked_at, branch, number, role, model, address, size_bytes, files, outcome"
_OUTCOME_SQL = "update sent set outcome=? where id=?"


def answered(ids: Sequence[int], asker: tuple[str, str]) -> list[Statement]:
    """Return what ties requests to the call that was noted last for a moment: the last one was answered."""
    newest = "(select max(number) from call_use where asked_at=? and branch=?)"
    return [
        (f"update sent set number={newest}, outcome=? where id=?", (*asker, ANSWERED if at == ids[-1] else FAILED, at))
        for at in ids
    ]


def _request(row: tuple[Any, ...]) -> SentRequest:
    values = dict(zip(_COLUMNS.split(", "), row, strict=True))
    files = tuple(SentFile(path=str(one["path"]), whole=bool(one["whole"])) for one in json.loads(values["files"]))
    return SentRequest(**{**values, "files": files})
