"""A race: one moment forked several ways, the lanes run side by side under one budget.

    moment -+- race-minimal   (its own Deps: programs, ledger and bills by branch)   -> LaneTold ...
            +- race-rewrite                                                          -> LaneTold ... RaceFinished

The journal holds what each lane does, so a race that was killed goes on, each lane from its own newest moment.

A lane may also run on another machine (`LanePlace`): in a copy of the session there, from which its branch comes home
moment by moment. Then it has a part of the budget instead of a share in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from selfheal_tui.errors import SelfHealError
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.store.bills import Bills
from selfheal_tui.store.ledger import Ledger
from selfheal_tui.store.programs import Programs
from selfheal_tui.store.session_db import SessionDB

from ..moment.events import CheckpointSaved, Event, LaneTold, RunFailed
from ..moment.snapshot import Snapshot
from ..moment.state import RunLimits, Spent
from ..workshop.deps import Deps
from ..workshop.purse import Purse
from ..workshop.race_budget import RaceBudget

_LEAST_WAIT_S = 0.01
Run = Callable[[str, Deps], AsyncGenerator[Event, None]]
"""Runs a branch to its next question or end, with its own Deps."""


@dataclass(frozen=True, slots=True)
class LaneAway:
    """A lane that runs on another machine."""

    branch: str
    part: RunLimits
    """Its part of what was left of the race's budget."""
    before: Spent
    """What stood on its bill when it got that."""


@dataclass(frozen=True, slots=True)
class CameHome:
    """Moments that a lane made elsewhere are in the session's file."""

    checkpoint_ids: Sequence[str]


class LanePlace(Protocol):
    """Where the lanes of a race run when it is not this process."""

    def run(self, db: SessionDB, lane: LaneAway, prompts: Path | None) -> AsyncGenerator[Event | CameHome, None]:
        """Run a lane of the session in this file to its next question or end; its branch is in the file then.

        `prompts` are the lane's own. Its moments are told as `CameHome`, all else as its events. Closing the iterator
        stops it, and what came home stays. Raises: SelfHealError where it cannot go on.
        """


@dataclass(slots=True)
class SideBySide:
    """Lanes that run at the same time."""

    pool: RaceBudget
    failures: dict[str, SelfHealError] = field(default_factory=dict)
    """Lanes that could not go on; they can be resumed."""
    newest: dict[str, Snapshot] = field(default_factory=dict)
    """Where each lane stands."""
    cut: dict[str, float] = field(default_factory=dict)
    """Lane that was ended in the middle of its work, as the time of all was used up -> its seconds that no bill has."""
    cut_why: str = ""
    """What was used up then."""

    async def run(self, lanes: Mapping[str, Deps], run: Run) -> AsyncGenerator[LaneTold, None]:
        """Yield the events of all lanes until each asks or ends; closing it stops them, and what was saved stays."""
        events: asyncio.Queue[LaneTold | None] = asyncio.Queue()
        tasks = {
            branch: asyncio.create_task(self._lane(branch, run(branch, deps), events)) for branch, deps in lanes.items()
        }
        ending = asyncio.create_task(self._end(tasks))
        try:
            unfinished = len(tasks)
            while unfinished:
                event = await events.get()
                if event is None:
                    unfinished -= 1
                else:
                    yield event
            await asyncio.gather(*(task for branch, task in tasks.items() if branch not in self.cut))
        finally:
            await _stop([ending, *tasks.values()])

    async def _end(self, tasks: Mapping[str, asyncio.Task[None]]) -> None:
        """Cut lanes off once their time is used up; what was saved of them stays."""
        while (share_s := self.pool.share_s()) is not None:
            if not share_s:
                break
            await asyncio.sleep(max(share_s, _LEAST_WAIT_S))
        else:
            return
        self.cut_why = self.pool.time_words()
        for branch, task in tasks.items():
            if not task.done() and self._may_cut(branch):
                self.cut[branch] = self.pool.cut_off(branch)
                task.cancel()

    def _may_cut(self, branch: str) -> bool:
        """Tell whether nothing that was paid is lost, nor a program that passes every case."""
        snapshot = self.newest[branch]
        passes = snapshot.report is not None and snapshot.report["verdict"] == "passed"
        return not passes and set(snapshot.models.values()) == {SEARCH}

    async def _lane(
        self, branch: str, events: AsyncGenerator[Event, None], out: asyncio.Queue[LaneTold | None]
    ) -> None:
        self.pool.runs(branch)
        try:
            async with aclosing(events) as source:
                async for event in source:
                    match event:
                        case CheckpointSaved():
                            self.newest[branch] = event.snapshot
                            self.pool.worked(branch, event.snapshot.spent)
                        case RunFailed():
                            self.failures[branch] = event.error
                    out.put_nowait(LaneTold(branch, event))
        finally:
            if branch not in self.cut:
                self.pool.rests(branch)
            out.put_nowait(None)


def lane_deps(db: SessionDB, deps: Deps, branch: str, pool: RaceBudget) -> Deps:
    """Return what a lane's nodes may use: programs, ledger and bills of its own branch, and the shared budget."""
    programs, ledger, bills = Programs(db, branch), Ledger(db, branch), Bills(db, branch)
    return replace(deps, programs=programs, ledger=ledger, bills=bills, purse=Purse(pool))


async def _stop(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
