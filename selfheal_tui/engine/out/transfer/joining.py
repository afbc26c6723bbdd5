"""A branch that went on in a copy of its session comes home: its rows are put beside those that are there.

The copy's file is a stranger's letter until it is read whole (reading.py). Of its rows only those of the branch are
taken, and those that any branch may add to: bodies, paid replies, programs that were run. Nothing that is there is
changed but what runs on of the branch itself: results that wait, bills that nobody counted yet, its usage.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.store.blobs import json_text
from selfheal_tui.store.copying import own_tables
from selfheal_tui.store.history import BRANCH_SQL, THREAD_SQL
from selfheal_tui.store.ledger import SEEN, SENT
from selfheal_tui.store.packing import pack
from selfheal_tui.store.session_db import SessionDB, Statement
from selfheal_tui.store.sessions import SessionStore

from ...moment.state import GRAPH_VERSION
from .form import from_json
from .lines import read_lines, refuse
from .reading import read_session
from .rewriting import renamed
from .writing import write_session

_ADDED = ("call", "program")
"""Tables to which any branch adds: what is there already counts."""
_OF_BRANCH = ("call_use", "usage")
"""Tables of which each row belongs to one branch, and may be written again by it."""


def send_away(folder: Path) -> tuple[bytes, Mapping[str, str]]:
    """Return a session as a file for a copy elsewhere, and the hashes that are others there.

    Raises: InputError where a key would have to be taken out of it: the copy would go on with another program.
    """
    target = io.BytesIO()
    exported = write_session(folder, target, os.environ, "")
    if exported.redacted:
        raise InputError(
            f"The session holds a key, which never leaves this machine: {', '.join(exported.redacted)}.",
            "Run the race here, or take the key out of the files.",
        )
    return target.getvalue(), exported.refs


@dataclass(slots=True)
class Joining:
    """Brings one branch home, as often as the copy has sent it. One at a time for each session."""

    db: SessionDB
    branch: str
    refs: Mapping[str, str]
    """Hash of a body in the copy -> the one it has here."""
    drafts: dict[str, str] = field(default_factory=dict)
    """The copy's drafts as they were last known; what it dropped of them is dropped here."""
    bills: dict[int, int] = field(default_factory=dict)
    """Number of an open bill in the copy -> here: other branches make bills too."""

    async def begin(self) -> None:
        """Note what the copy starts with. Call it when the copy was made, before anything else is written."""
        self.drafts = {str(k): str(v) for k, v in await self.db.rows("select key, reply from draft")}
        self.bills = {int(n): int(n) for (n,) in await self.db.rows("select id from bill")}

    async def take(self, session: bytes) -> list[str]:
        """Take what is new of the branch, all of it or nothing; return its new checkpoints, oldest first.

        Raises: InputError for a file that is not, whole, a copy of this session with this branch; SessionError.
        """
        with tempfile.TemporaryDirectory(prefix="selfheal-lane-") as name:
            path = Path(name) / f"{self.branch.replace('/', '-')[:60]}.selfheal"
            path.write_bytes(session)
            await read_session(SessionStore(Path(name) / "read", GRAPH_VERSION), path)
            rows = _Rows(path, self.refs)
            statements, new = await self._statements(rows)
        await self.db.write_all(statements)
        self.drafts = rows.drafts
        return new

    async def _statements(self, rows: _Rows) -> tuple[list[Statement], list[str]]:
        there = {str(ref) for (ref,) in await self.db.rows("select ref from blob")}
        known = {
            str(checkpoint_id): branch == self.branch
            for checkpoint_id, branch in await self.db.rows(f"select checkpoint_id, {BRANCH_SQL} from checkpoints")
        }
        ((thread_id,),) = await self.db.rows(f"select {THREAD_SQL}")
        statements: list[Statement] = [
            ("insert or ignore into blob(ref, body) values(?,?)", (ref, pack(text)))
            for ref, text in rows.bodies()
            if ref not in there and ref not in self.refs
        ]
        new: list[str] = []
        for row in rows.of("checkpoints"):
            checkpoint_id = row["checkpoint_id"]
            if checkpoint_id in known:
                continue
            if row["metadata"].get("branch") != self.branch or row["parent_checkpoint_id"] not in known:
                refuse(rows.path, f"holds moments that are not of branch {self.branch!r}")
            known[checkpoint_id] = True
            new.append(checkpoint_id)
            statements.append(_inserted("checkpoints", _checkpoint(row, thread_id)))
        mine = [checkpoint_id for checkpoint_id, own in known.items() if own]
        statements += [
            ("delete from writes where thread_id=? and checkpoint_ns='' and checkpoint_id=?", (thread_id, one))
            for one in mine
        ]
        statements += [
            _inserted("writes", _write(row, thread_id))
            for row in rows.of("writes")
            if known.get(row["checkpoint_id"], False)
        ]
        statements += [_inserted(table, row, "or ignore") for table in _ADDED for row in rows.of(table)]
        statements += [
            _inserted(table, row, "or replace")
            for table in _OF_BRANCH
            for row in rows.of(table)
            if row["branch"] == self.branch
        ]
        statements += [
            _inserted("meta", row, "or ignore") for row in rows.of("meta") if row["key"].startswith((SENT, SEEN))
        ]
        statements += await self._sent(rows)
        statements += await self._open_bills(rows)
        return statements, new

    async def _sent(self, rows: _Rows) -> list[Statement]:
        """Return what notes the requests that left the copy's machine: those after the ones that are noted here."""
        noted = await self.db.rows("select id from sent where branch=? order by id", (self.branch,))
        there = [row for row in rows.of("sent") if row["branch"] == self.branch]
        statements: list[Statement] = [
            ("update sent set number=?, outcome=? where id=?", (row["number"], row["outcome"], number))
            for (number,), row in zip(noted, there, strict=False)
        ]
        return statements + [
            _inserted("sent", {name: value for name, value in row.items() if name != "id"})
            for row in there[len(noted) :]
        ]

    async def _open_bills(self, rows: _Rows) -> list[Statement]:
        """Return what makes the branch's open bills, and replies that wait for their correction, those of the copy."""
        mine = [row for row in rows.of("bill") if json.loads(row["usage"]).get("lane") == self.branch]
        ((last,),) = await self.db.rows(
            "select max(coalesce((select max(id) from bill), 0), "
            "coalesce((select seq from sqlite_sequence where name='bill'), 0))"
        )
        for number, row in enumerate((row for row in mine if row["id"] not in self.bills), int(last) + 1):
            self.bills[row["id"]] = number
        statements: list[Statement] = [("delete from bill where json_extract(usage, '$.lane')=?", (self.branch,))]
        statements += [_inserted("bill", {**row, "id": self.bills[row["id"]]}) for row in mine]
        for key, reply in rows.drafts.items():
            if self.drafts.get(key) != reply:
                held = json.loads(reply)
                if given_up := held.get("given_up"):
                    # The bill of a question given up: it may have been counted, and be open no more.
                    held["given_up"] = -self.bills.get(-given_up, -given_up)
                statements.append(_inserted("draft", {"key": key, "reply": json_text(held)}, "or replace"))
        dropped = self.drafts.keys() - rows.drafts.keys()
        return [*statements, *(("delete from draft where key=?", (key,)) for key in dropped)]


class _Rows:
    """The rows of a file that was read whole, with the hashes of here."""

    def __init__(self, path: Path, refs: Mapping[str, str]) -> None:
        self.path = path
        self._rows: dict[str, list[dict[str, Any]]] = {}
        for line in read_lines(path):
            if "table" in line and line["table"] != "blob":
                self._rows.setdefault(line["table"], []).append(renamed(line["row"], refs))
        self.drafts = {row["key"]: row["reply"] for row in self.of("draft")}

    def of(self, table: str) -> list[dict[str, Any]]:
        return self._rows.get(table, [])

    def bodies(self) -> Iterator[tuple[str, str]]:
        """Yield ref and text of each body: together they may be most of the file."""
        for line in read_lines(self.path):
            if line.get("table") == "blob":
                yield line["row"]["ref"], line["row"]["text"]


def _checkpoint(row: Mapping[str, Any], thread_id: str) -> dict[str, Any]:
    from selfheal_tui.store.serde import StateSerde

    kind, body = StateSerde().dumps_typed(from_json(row["checkpoint"]))
    metadata = json.dumps(row["metadata"], ensure_ascii=False).encode("utf-8", "ignore")
    ids = {name: row[name] for name in ("checkpoint_id", "parent_checkpoint_id")}
    return {"thread_id": thread_id, **ids, "type": kind, "checkpoint": body, "metadata": metadata}


def _write(row: Mapping[str, Any], thread_id: str) -> dict[str, Any]:
    from selfheal_tui.store.serde import StateSerde

    kind, body = StateSerde().dumps_typed(from_json(row["value"]))
    return {**row, "thread_id": thread_id, "type": kind, "value": body}


def _inserted(table: str, row: Mapping[str, Any], how: str = "") -> Statement:
    """Return the statement that inserts a row; what the store keeps packed is packed."""
    packed = {column.name for column in own_tables().get(table, ()) if column.packed}
    values = tuple(pack(value) if name in packed and value is not None else value for name, value in row.items())
    return f"insert {how} into {table}({', '.join(row)}) values({', '.join('?' * len(row))})", values
