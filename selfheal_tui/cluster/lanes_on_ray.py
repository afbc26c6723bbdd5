"""The lanes of a race on the workers of a Ray cluster. Ray decides where a lane runs; each is asked of it once.

A worker has a copy of the session. What it has paid for is in the session's file here before the copy goes on. A lane
whose worker died is asked for again and goes on from what came home.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfheal_tui.engine.moment.events import Event, Noticed
from selfheal_tui.engine.out.transfer.joining import Joining, send_away
from selfheal_tui.engine.session.race import CameHome, LaneAway
from selfheal_tui.errors import SessionError
from selfheal_tui.text import one_line

from .connection import DEATHS, NO_WORD, of_code
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
        # One value on its way at a time: the worker waits until the last one was taken.
        self._work = ray.remote(
            num_cpus=1, max_retries=0, num_returns="streaming", _generator_backpressure_num_objects=1
        )(run_lane)
        self._homecoming = asyncio.Lock()

    async def run(self, db: SessionDB, lane: LaneAway, prompts: Path | None) -> AsyncGenerator[Event | CameHome, None]:
        """Run a lane on a worker, on another one when that dies."""
        sent = SentLane(lane, prompt_texts(prompts))
        why = ""
        for _ in range(DEATHS):
            joining, session = await self._copied(db, lane.branch)
            told = None
            try:
                told = self._work.remote(self._shared, sent, session)
                async with aclosing(self._follow(told, joining)) as events:
                    async for event in events:
                        if isinstance(event, Rested):
                            return
                        yield event
                why = NO_WORD
            except self._ray.exceptions.RayTaskError as error:
                raise of_code(error) from error
            except self._ray.exceptions.RayError as error:
                why = type(error).__name__
            finally:
                # Of a lane that has ended nothing is left to cancel.
                with contextlib.suppress(self._ray.exceptions.RayError, ValueError, TypeError):
                    if told is not None:
                        self._ray.cancel(told, force=False)
            yield Noticed(f"The worker of this lane died ({why}); what came home is kept.")
        raise SessionError(f"{DEATHS} workers died of this lane, the last with {why}.")

    async def _copied(self, db: SessionDB, branch: str) -> tuple[Joining, bytes]:
        async with self._homecoming:
            session, refs = await asyncio.to_thread(send_away, db.path.parent)
            joining = Joining(db, branch, refs)
            await joining.begin()
        return joining, session

    async def _follow(self, told: Any, joining: Joining) -> AsyncGenerator[Event | CameHome | Rested, None]:
        async for ref in told:
            match await ref:
                case Heard(events):
                    for event in events:
                        yield event
                case Kept(session):
                    async with self._homecoming:
                        new = await joining.take(session)
                    yield CameHome(new)
                case Broke() as broke:
                    raise broke.as_error()
                case Rested() as rested:
                    yield rested
                    return
                case other:
                    raise SessionError(f"A worker said what this version does not know: {one_line(str(other), 80)}.")
