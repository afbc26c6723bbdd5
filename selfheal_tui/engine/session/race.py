"""A race: one moment forked several ways, the lanes run side by side under one budget.

    moment -+- race-minimal   (its own Deps: programs, ledger and bills by branch)   -> LaneTold ...
            +- race-rewrite                                                          -> LaneTold ... RaceFinished

The journal holds what each lane does, so a race that was killed goes on, each lane from its own newest moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from selfheal_tui.errors import SelfHealError
from selfheal_tui.store.bills import Bills
from selfheal_tui.store.ledger import Ledger
from selfheal_tui.store.programs import Programs
from selfheal_tui.store.session_db import SessionDB

from ..moment.events import CheckpointSaved, Event, LaneTold, RunFailed
from ..workshop.deps import Deps
from ..workshop.purse import Purse
from ..workshop.race_budget import RaceBudget

Run = Callable[[str, Deps], AsyncGenerator[Event, None]]
"""Runs a branch to its next question or end, with its own Deps."""


@dataclass(slots=True)
class SideBySide:
    """Lanes that run at the same time."""

    pool: RaceBudget
    failures: dict[str, SelfHealError] = field(default_factory=dict)
    """Lanes that could not go on; they can be resumed."""

    async def run(self, lanes: Mapping[str, Deps], run: Run) -> AsyncGenerator[LaneTold, None]:
        """Yield the events of all lanes until each asks or ends; closing it stops them, and what was saved stays."""
        events: asyncio.Queue[LaneTold | None] = asyncio.Queue()
        tasks = [asyncio.create_task(self._lane(branch, run(branch, deps), events)) for branch, deps in lanes.items()]
        try:
            unfinished = len(tasks)
            while unfinished:
                event = await events.get()
                if event is None:
                    unfinished -= 1
                else:
                    yield event
            await asyncio.gather(*tasks)
        finally:
            await _stop(tasks)

    async def _lane(
        self, branch: str, events: AsyncGenerator[Event, None], out: asyncio.Queue[LaneTold | None]
    ) -> None:
        try:
            async with aclosing(events) as source:
                async for event in source:
                    match event:
                        case CheckpointSaved():
                            self.pool.worked(branch, event.snapshot.spent)
                        case RunFailed():
                            self.failures[branch] = event.error
                    out.put_nowait(LaneTold(branch, event))
        finally:
            out.put_nowait(None)


def lane_deps(db: SessionDB, deps: Deps, branch: str, pool: RaceBudget) -> Deps:
    """Return what a lane's nodes may use: programs, ledger and bills of its own branch, and the shared budget."""
    programs, ledger, bills = Programs(db, branch), Ledger(db, branch), Bills(db, branch)
    return replace(deps, programs=programs, ledger=ledger, bills=bills, purse=Purse(pool))


async def _stop(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
