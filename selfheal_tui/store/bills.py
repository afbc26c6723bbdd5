"""What was paid and stands in no checkpoint yet: a bill waits on disk until a node that counts it has been saved.

So a run that is killed, or fails, between paying and saving neither forgets the money nor counts it twice.
"""

from __future__ import annotations

import json
from dataclasses import asdict

from selfheal_tui.llm.base import Usage

from .session_db import SessionDB, Statement


def new_bill(usage: Usage) -> Statement:
    """Return the statement that writes a call's bill, for the transaction that writes what the call brought."""
    return "insert into bill(usage) values(?)", (json.dumps(asdict(usage)),)


class Bills:
    """The bill table of a session's file. Only one process drives a session, so what is taken is kept in memory."""

    def __init__(self, db: SessionDB) -> None:
        self._db = db
        self._taken: set[int] = set()

    async def take(self) -> list[Usage]:
        """Return the open bills, one for each call, to be counted by the node that runs."""
        rows = await self._db.rows("select id, usage from bill order by id")
        self._taken = {row[0] for row in rows}
        return [Usage(**json.loads(row[1])) for row in rows]

    def put_back(self) -> None:
        """A new run begins: what a node took before and never saved is open again."""
        self._taken = set()

    def settle(self) -> list[Statement]:
        """Return what strikes the taken bills out, for the transaction that saves the node which counted them."""
        return [("delete from bill where id=?", (number,)) for number in self._taken]

    def settled(self) -> None:
        """That transaction is on disk."""
        self._taken = set()
