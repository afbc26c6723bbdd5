"""Programs that a line of decided repairs has settled, looked up by hash: a long line need not be read again.

A record names the one before it, and is a body (store/blobs.py). What stands here is made from the records and can be
made again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from .session_db import SessionDB, Statement

_LINE = """
with recursive line(ref) as (
  select ? union select t.prev from line join tried t on t.record_ref=line.ref where t.iteration>=? and t.prev<>'')
select key, min(iteration) from tried where record_ref in line and key in ({keys}) group by key
"""


class Settled(NamedTuple):
    """What a record settled."""

    record_ref: str
    prev: str
    """The record before it; empty at the first."""
    iteration: int
    keys: list[str]
    """Hashes of the programs that were taken or refused."""


class Tried:
    """The tried table of a session's file."""

    def __init__(self, db: SessionDB) -> None:
        self._db = db

    async def has(self, record_ref: str) -> bool:
        """Tell whether a record, and so all before it, is listed."""
        return bool(await self._db.rows("select 1 from tried where record_ref=? limit 1", (record_ref,)))

    async def add(self, records: Iterable[Settled]) -> None:
        """List records, all of them or none."""
        insert = "insert or ignore into tried(record_ref, key, prev, iteration) values(?,?,?,?)"
        rows: list[Statement] = [
            (insert, (one.record_ref, key, one.prev, one.iteration)) for one in records for key in one.keys
        ]
        await self._db.write_all(rows)

    async def on_line(self, head: str, keys: Collection[str]) -> dict[str, int]:
        """Return key -> iteration at which it was settled first, for those of `keys` that the line to `head` settled.

        Only as much of the line is walked as leads to the oldest record, of any line, that settled one of them.
        """
        marks = ",".join("?" * len(keys))
        oldest = await self._db.rows(f"select min(iteration) from tried where key in ({marks})", tuple(keys))
        if oldest[0][0] is None:
            return {}
        rows = await self._db.rows(_LINE.format(keys=marks), (head, oldest[0][0], *keys))
        return {str(key): int(iteration) for key, iteration in rows}
