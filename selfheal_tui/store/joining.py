"""Putting the rows of one branch, which went on in a copy of the session, beside those that are there.

Nothing that is there is changed but what runs on of the branch itself: results that wait, bills that nobody counted
yet, its usage. The caller has checked that the rows are rows of a session.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .blobs import json_text
from .copying import own_tables
from .history import BRANCH_SQL, THREAD_SQL
from .ledger import SEEN, SENT
from .packing import pack
from .session_db import SessionDB, Statement

_ADDED = ("call", "program")
"""Tables to which any branch adds: what is there already counts."""
_OF_BRANCH = ("call_use", "usage")
"""Tables of which each row belongs to one branch, and may be written again by it."""
_LAST_BILL = """
select max(coalesce((select max(id) from bill), 0),
  coalesce((select seq from sqlite_sequence where name='bill'), 0))
"""

Rows = Mapping[str, Sequence[Mapping[str, Any]]]
"""Table -> rows. Of LangGraph's tables with the state or value as LangGraph holds it."""


class StrangeBranch(ValueError):
    """The copy holds moments that are neither there nor of the branch."""


class Joined:
    """One branch of an open session, and what is known of the copy in which it goes on."""

    def __init__(self, db: SessionDB, branch: str) -> None:
        self._db, self._branch = db, branch
        self._drafts: dict[str, str] = {}
        """The copy's drafts as they were last known; what it dropped of them is dropped here."""
        self._bills: dict[int, int] = {}
        """Number of an open bill in the copy -> here: other branches make bills too."""

    async def begin(self) -> None:
        """Note what the copy starts with. Call it when the copy was made, before anything else is written."""
        self._drafts = {str(k): str(v) for k, v in await self._db.rows("select key, reply from draft")}
        self._bills = {int(n): int(n) for (n,) in await self._db.rows("select id from bill")}

    async def take(self, bodies: Iterable[tuple[str, str]], rows: Rows) -> list[str]:
        """Take what is new, all of it or nothing; return the new checkpoints, oldest first.

        Raises: StrangeBranch; SessionError where it cannot be written.
        """
        there = {str(ref) for (ref,) in await self._db.rows("select ref from blob")}
        known = {
            str(checkpoint_id): branch == self._branch
            for checkpoint_id, branch in await self._db.rows(f"select checkpoint_id, {BRANCH_SQL} from checkpoints")
        }
        ((thread_id,),) = await self._db.rows(f"select {THREAD_SQL}")
        statements: list[Statement] = [
            ("insert or ignore into blob(ref, body) values(?,?)", (ref, pack(text)))
            for ref, text in bodies
            if ref not in there
        ]
        new: list[str] = []
        for row in rows.get("checkpoints", ()):
            checkpoint_id = row["checkpoint_id"]
            if checkpoint_id in known:
                continue
            if row["metadata"].get("branch") != self._branch or row["parent_checkpoint_id"] not in known:
                raise StrangeBranch
            known[checkpoint_id] = True
            new.append(checkpoint_id)
            statements.append(_inserted("checkpoints", _checkpoint(row, thread_id)))
        statements += [
            (
                "delete from writes where thread_id=? and checkpoint_ns='' and checkpoint_id=?",
                (thread_id, checkpoint_id),
            )
            for checkpoint_id, is_own in known.items()
            if is_own
        ]
        statements += [
            _inserted("writes", _write(row, thread_id))
            for row in rows.get("writes", ())
            if known.get(row["checkpoint_id"], False)
        ]
        statements += [_inserted(table, row, "or ignore") for table in _ADDED for row in rows.get(table, ())]
        statements += [
            _inserted(table, row, "or replace")
            for table in _OF_BRANCH
            for row in rows.get(table, ())
            if row["branch"] == self._branch
        ]
        statements += [
            _inserted("meta", row, "or ignore") for row in rows.get("meta", ()) if row["key"].startswith((SENT, SEEN))
        ]
        statements += await self._sent(rows)
        statements += await self._open_bills(rows)
        drafts = _drafts(rows)
        statements += self._waiting(drafts)
        await self._db.write_all(statements)
        self._drafts = drafts
        return new

    async def _sent(self, rows: Rows) -> list[Statement]:
        """Return what notes the requests that left the copy's machine: those after the ones that are noted here."""
        noted = await self._db.rows("select id from sent where branch=? order by id", (self._branch,))
        there = [row for row in rows.get("sent", ()) if row["branch"] == self._branch]
        statements: list[Statement] = [
            ("update sent set number=?, outcome=? where id=?", (row["number"], row["outcome"], number))
            for (number,), row in zip(noted, there, strict=False)
        ]
        return statements + [
            _inserted("sent", {name: value for name, value in row.items() if name != "id"})
            for row in there[len(noted) :]
        ]

    async def _open_bills(self, rows: Rows) -> list[Statement]:
        """Return what makes the branch's open bills those of the copy."""
        mine = [row for row in rows.get("bill", ()) if json.loads(row["usage"]).get("lane") == self._branch]
        ((last,),) = await self._db.rows(_LAST_BILL)
        for number, row in enumerate((row for row in mine if row["id"] not in self._bills), int(last) + 1):
            self._bills[row["id"]] = number
        dropped: Statement = ("delete from bill where json_extract(usage, '$.lane')=?", (self._branch,))
        return [dropped, *(_inserted("bill", {**row, "id": self._bills[row["id"]]}) for row in mine)]

    def _waiting(self, drafts: Mapping[str, str]) -> list[Statement]:
        """Return what makes the replies that wait for their correction those of the copy."""
        statements: list[Statement] = []
        for key, reply in drafts.items():
            if self._drafts.get(key) != reply:
                held = json.loads(reply)
                if given_up := held.get("given_up"):
                    held["given_up"] = -self._bills.get(-given_up, -given_up)
                statements.append(_inserted("draft", {"key": key, "reply": json_text(held)}, "or replace"))
        return statements + [
            ("delete from draft where key=?", (key,)) for key in sorted(self._drafts.keys() - drafts.keys())
        ]


def _drafts(rows: Rows) -> dict[str, str]:
    return {str(row["key"]): str(row["reply"]) for row in rows.get("draft", ())}


def _checkpoint(row: Mapping[str, Any], thread_id: str) -> dict[str, Any]:
    from .serde import StateSerde  # brings LangGraph, which is imported when a session is opened

    kind, body = StateSerde().dumps_typed(row["checkpoint"])
    metadata = json.dumps(row["metadata"], ensure_ascii=False).encode("utf-8", "ignore")
    ids = {name: row[name] for name in ("checkpoint_id", "parent_checkpoint_id")}
    return {"thread_id": thread_id, **ids, "type": kind, "checkpoint": body, "metadata": metadata}


def _write(row: Mapping[str, Any], thread_id: str) -> dict[str, Any]:
    from .serde import StateSerde

    kind, body = StateSerde().dumps_typed(row["value"])
    return {**row, "thread_id": thread_id, "type": kind, "value": body}


def _inserted(table: str, row: Mapping[str, Any], how: str = "") -> Statement:
    """Return the statement that inserts a row; what the store keeps packed is packed."""
    packed = {column.name for column in own_tables().get(table, ()) if column.packed}
    values = tuple(pack(value) if name in packed and value is not None else value for name, value in row.items())
    return f"insert {how} into {table}({', '.join(row)}) values({', '.join('?' * len(row))})", values
