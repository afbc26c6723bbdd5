"""Watching a session that another process drives: what it saves, as it saves it, told like a run of one's own."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from selfheal_tui.store.lock import driver_of
from selfheal_tui.store.session_db import store_error

from ..moment.events import CheckpointSaved, DriverSeen, Event, LaneTold, NodeStarted, ReviewRequested, RunFinished
from ..moment.timeline import Checkpoint
from .saved_session import SavedSession

if TYPE_CHECKING:
    from .rest import Rest

_PAUSE_S = 0.2
"""Between two looks."""


class WatchedSession(SavedSession):
    """A session that is open to read beside its driver; get one from `Workbench.watch_session`."""

    rest: Rest | None = None
    """How much of a damaged session this is; None for a whole one."""

    async def follow(self) -> AsyncGenerator[Event, None]:
        """Tell what is there, then what comes; never ends by itself.

        The driver is told first and at each change; an empty name means that nobody drives. Then the session stands at
        what was told last and can be taken over. Raises: SessionError when the file is damaged.
        """
        try:
            last_row, data_version = await self._history.last_row(), -1
            driver: str | None = None
            standing: tuple[Checkpoint, bool] | None = None
            while True:
                # Who drives is asked first: what a driver saves before it ends is told before its end.
                present = self._driver()
                if driver is None:
                    driver = present
                    yield DriverSeen(present)
                # SQLite says when something was committed elsewhere, so nothing is read in vain.
                if (version := await self._db.data_version()) != data_version:
                    data_version, newest_row = version, await self._history.last_row()
                    new_ids = await self._history.ids_after(last_row)
                    last_row = newest_row
                    saved: CheckpointSaved | None = None
                    for checkpoint_id in new_ids:
                        saved = await self.saved(checkpoint_id)
                        yield saved
                    head = await self.head()
                    if head is not None:
                        if saved is None or head != saved.checkpoint.id:
                            saved = await self.saved(head)
                        in_race = await self.branches.race() is not None
                        if in_race or (saved.checkpoint, in_race) != standing:
                            if head not in new_ids[-1:] and (standing is None or saved.checkpoint != standing[0]):
                                yield saved
                            standing = (saved.checkpoint, in_race)
                            for event in await self._standing(saved):
                                yield event
                if present != driver:
                    is_new, driver = not driver, present
                    yield DriverSeen(present)
                    if is_new and standing is not None:
                        for event in await self._standing(await self.saved(standing[0].id)):
                            yield event
                await asyncio.sleep(_PAUSE_S)
        except sqlite3.Error as error:
            raise store_error(self._db.path, error) from error

    async def _standing(self, saved: CheckpointSaved) -> list[Event]:
        """Return what the session does that stands at this checkpoint; in a race that is what its lanes do."""
        race = await self.branches.race()
        if race is None:
            return [_standing(saved)]
        if (raced := await self.raced()) is not None:
            return [raced]
        heads = {branch: await self.head(branch) for branch in await self.branches.lanes_of(race)}
        moments = {branch: await self.checkpoint(head) for branch, head in heads.items() if head}
        return [
            LaneTold(branch, NodeStarted(at.next[0])) for branch, at in moments.items() if at.next and not at.pending
        ]

    def _driver(self) -> str:
        holder = driver_of(self._db.path.parent)
        return holder.words() if holder else ""


def _standing(saved: CheckpointSaved) -> Event:
    """Return what a session does that stands at this checkpoint."""
    checkpoint, snapshot = saved.checkpoint, saved.snapshot
    if checkpoint.pending:
        return ReviewRequested(checkpoint.id, checkpoint.branch, checkpoint.pending, snapshot)
    if not checkpoint.next:
        return RunFinished(snapshot)
    return NodeStarted(checkpoint.next[0])
