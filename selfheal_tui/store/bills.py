"""What was paid and stands in no checkpoint yet: a bill waits on disk until a node that counts it has been saved.

So a run that is killed, or fails, between paying and saving neither forgets the money nor counts it twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from selfheal_tui.llm.base import Usage

from .damage import reading
from .history import AT_SQL
from .session_db import SessionDB, Statement


def new_bill(usage: Usage, lane: str = "") -> Statement:
    """Return the statement that writes a call's bill, for the transaction that writes its reply.

    `lane` is the branch that pays, where branches run side by side.
    """
    return "insert into bill(usage) values(?)", (json.dumps({**asdict(usage), **({"lane": lane} if lane else {})}),)


class Bills:
    """The bill table of a session's file; which bills were handed out is remembered in memory."""

    def __init__(self, db: SessionDB, lane: str = "") -> None:
        """`lane`: a branch that runs beside others, and counts its own bills only."""
        self._db = db
        self._lane = lane
        self._taken: set[int] = set()

    async def take(self) -> list[tuple[int, Usage]]:
        """Return number and usage of the open bills that were not handed out yet, for the node that asks to count.

        Nodes run side by side, and one may ask several times: a bill is handed out once.
        """
        free = [(number, usage) for number, usage in await self.open() if number not in self._taken]
        self._taken |= {number for number, _ in free}
        return free

    async def open(self) -> list[tuple[int, Usage]]:
        """Return number and usage of what was paid and stands in no checkpoint yet."""
        bills = []
        with reading("an open bill"):
            for number, text in await self._db.rows("select id, usage from bill order by id"):
                lane = (usage := json.loads(text)).pop("lane", "")
                if self._lane in ("", lane):
                    bills.append((int(number), Usage(**usage)))
        return bills

    async def waiting(self, checkpoint_id: str) -> list[dict[str, Any]]:
        """Return the `spent` of nodes that have run from a checkpoint while others beside them have not ended."""
        from .serde import StateSerde  # brings LangGraph, which is imported when a session is opened

        query = f"select type, value from writes where {AT_SQL} and channel='spent'"
        rows = await self._db.rows(query, (checkpoint_id,))
        with reading("what a node has spent"):
            return [StateSerde().loads_typed((kind, value)) for kind, value in rows]

    def put_back(self) -> None:
        """Forget what was handed out: at the start of a run nobody is going to count it any more."""
        self._taken = set()


def settle(numbers: Iterable[int]) -> list[Statement]:
    """Return the statements that delete counted bills, for the transaction that saves the node which counted them.

    A negative number is that of a question given up (`Ledger.give_up`): that it was is in the node's result now.
    """
    given_up = "delete from draft where json_extract(reply, '$.given_up')=?"
    return [(sql, (number,)) for number in numbers for sql in ("delete from bill where id=?", given_up)]
