"""Watching a session that another process drives: what it saves, as it saves it, told like a run of one's own.

Reads only. SQLite itself says when something was committed elsewhere (`pragma data_version`), so nothing is
read in vain.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from selfheal_tui.store.lock import driver_of
from selfheal_tui.store.session_db import SessionDB

from ..moment.events import CheckpointSaved, DriverSeen, Event, NodeStarted, ReviewRequested, RunFinished
from ..moment.timeline import Checkpoint

if TYPE_CHECKING:
    from .saved_session import SavedSession

_PAUSE_S = 0.2
"""Between two looks."""
_NEWEST = "select coalesce(max(rowid), 0) from checkpoints"
_SINCE = "select checkpoint_id from checkpoints where checkpoint_ns='' and rowid>? order by rowid"


async def follow(db: SessionDB, session: SavedSession) -> AsyncGenerator[Event, None]:
    """Tell what is there, then what comes; never ends by itself.

    Who drives is told first and at each change, nobody by an empty name: then the session can be taken over, and what
    it stands at is the last that was told. Raises: SessionError when the file is damaged, sqlite3.Error.
    """
    driver: str | None = None
    seen, newest = -1, int((await db.rows(_NEWEST))[0][0])
    told: Checkpoint | None = None
    while True:
        # Who drives is asked first: what a driver saves before it ends is told before its end.
        holder = driver_of(db.path.parent)
        now = holder.words() if holder else ""
        if driver is None:
            driver = now
            yield DriverSeen(now)
        version = int((await db.rows("pragma data_version"))[0][0])
        if version != seen:
            seen, last = version, int((await db.rows(_NEWEST))[0][0])
            new = [str(row[0]) for row in await db.rows(_SINCE, (newest,))]
            newest = last
            for checkpoint_id in new:
                yield await session.saved(checkpoint_id)
            head = await session.head()
            if head is not None:
                saved = await session.saved(head)
                if saved.checkpoint != told:
                    if head not in new[-1:]:
                        yield saved
                    told = saved.checkpoint
                    yield _standing(saved)
        if now != driver:
            back, driver = not driver, now
            yield DriverSeen(now)
            if back and told is not None:
                yield _standing(await session.saved(told.id))
        await asyncio.sleep(_PAUSE_S)


def _standing(saved: CheckpointSaved) -> Event:
    """Return what a session does that stands at this checkpoint."""
    checkpoint, snapshot = saved.checkpoint, saved.snapshot
    if checkpoint.pending:
        return ReviewRequested(checkpoint.id, checkpoint.branch, checkpoint.pending, snapshot)
    if not checkpoint.next:
        return RunFinished(snapshot)
    return NodeStarted(checkpoint.next[0])
