"""What the user wrote for the next step, until a step has read it: one row a note, kept for good."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .clock import now_at
from .session_db import SessionDB, Statement

_COLUMNS = "note_id, text, at, read_at, read_by"


@dataclass(frozen=True, slots=True)
class Note:
    """A note for the next step."""

    id: str
    text: str
    at: str
    """UTC, ISO 8601."""
    read_at: str = ""
    """The checkpoint from which the step started that reads it or was interrupted at that; empty before."""
    read_by: str = ""
    """That step: a node's name."""


class Notes:
    """The note table of a session's file."""

    def __init__(self, db: SessionDB) -> None:
        self._db = db

    async def waiting(self) -> list[Note]:
        """Return the notes that no saved moment rests on, oldest first."""
        return await self._where("done=0 and taken_back=0")

    async def used(self) -> set[str]:
        """Return the ids of notes that a saved moment rests on."""
        return {note.id for note in await self._where("done=1")}

    async def read(self, checkpoint_id: str, node: str) -> list[Note]:
        """Return the waiting notes for a step; it is written down first that it reads them."""
        if await self.waiting():
            sql = "update note set read_at=?, read_by=? where done=0 and taken_back=0"
            await self._db.write(sql, (checkpoint_id, node))
        return await self.waiting()

    async def settle(self, note_ids: Iterable[str]) -> None:
        """Note that the moment is saved which rests on these."""
        await self._db.write_all([("update note set done=1, taken_back=0 where note_id=?", (one,)) for one in note_ids])

    async def _where(self, condition: str) -> list[Note]:
        if not await self._db.rows("select 1 from sqlite_master where name='note'"):
            return []  # made when the session is next opened to be driven
        rows = await self._db.rows(f"select {_COLUMNS} from note where {condition} order by at, rowid")
        return [Note(*map(str, row)) for row in rows]


def new_note(note_id: str, text: str) -> Statement:
    """Return what writes a note, for the transaction that writes its act."""
    return f"insert into note({_COLUMNS}, done, taken_back) values(?,?,?,'','',0,0)", (note_id, text, now_at())


def set_taken_back(note_id: str, is_taken_back: bool) -> Statement:
    """Return what takes a note back that no saved moment rests on, or gives it again."""
    return "update note set taken_back=? where note_id=? and done=0", (int(is_taken_back), note_id)
