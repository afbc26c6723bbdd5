"""The lanes of a race on the workers of a Ray cluster. Ray decides where a lane runs; each is asked of it once.

A worker has a copy of the session. What it has paid for is in the session's file here before the copy goes on. A lane
whose worker died is asked for again and goes on from what came home.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfheal_tui.engine.moment.events import Event, Noticed
from selfheal_tui.engine.out.transfer.joining import Joining, send_away
from selfheal_tui.engine.session.race import CameHome, LaneAway
from selfheal_tui.errors import SessionError
from selfheal_tui.text import one_line

from .asking import MOST_DEATHS, Died, on_workers, said_by_workers
from .lane_at_worker import Heard, Rested, SentLane, run_lane
from .room import RoomSetup, prompt_texts
from .said import Broke, Kept

if TYPE_CHECKING:
    from selfheal_tui.store.session_db import SessionDB


class LanesOnRay:
    """A place for the lanes of a race (`engine/session/race.py:LanePlace`): the workers of a cluster."""

    def __init__(self, ray: Any, setup: RoomSetup) -> None:
        self._ray = ray
        self._shared = ray.put(setup)
        self._work = on_workers(ray, run_lane)
        self._homecoming = asyncio.Lock()

    async def run(self, db: SessionDB, lane: LaneAway, prompts: Path | None) -> AsyncGenerator[Event | CameHome, None]:
        """Run a lane on a worker, on another one when that dies."""
        sent = SentLane(lane, prompt_texts(prompts))
        joining: Joining | None = None
        why = ""

        async def arguments() -> tuple[Any, ...]:
            nonlocal joining
            joining, session = await self._copied(db, lane.branch)
            return self._shared, sent, session

        async with aclosing(said_by_workers(self._ray, self._work, arguments)) as said:
            async for word in said:
                match word:
                    case Heard(events, session):
                        if session is not None and joining is not None:
                            yield await self._taken(joining, session)
                        for event in events:
                            yield event
                    case Kept(session) if joining is not None:
                        yield await self._taken(joining, session)
                    case Broke() as broke:
                        raise broke.as_error()
                    case Rested():
                        return
                    case Died(why):
                        yield Noticed(f"The worker of this lane died ({why}); what came home is kept.")
                    case other:
                        raise SessionError(
                            f"A worker said what this version does not know: {one_line(str(other), 80)}."
                        )
        raise SessionError(f"{MOST_DEATHS} workers died of this lane, the last with {why}.")

    async def _copied(self, db: SessionDB, branch: str) -> tuple[Joining, bytes]:
        async with self._homecoming:
            session, refs = await asyncio.to_thread(send_away, db.path.parent)
            joining = Joining(db, branch, refs)
            await joining.begin()
        return joining, session

    async def _taken(self, joining: Joining, session: bytes) -> CameHome:
        async with self._homecoming:
            return CameHome(await joining.take(session))
