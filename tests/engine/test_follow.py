"""A session that one drives another follows: what is saved is told, nothing is written, the driver's end is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import (
    CheckpointSaved,
    DriverSeen,
    Event,
    NodeStarted,
    ReviewRequested,
    RunFinished,
)
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import SessionBusy, SessionError

from .driving import FIXED, drain, options, shop_task, to_end, to_repair, to_review

PATIENCE_S = 60.0


class Follower:
    """Collects what is told, until what a test waits for."""

    def __init__(self, events: AsyncIterator[Event]) -> None:
        self._events = events
        self.told: list[Event] = []

    async def until(self, kind: type[Any]) -> Any:
        """Return the next event of a kind."""
        async with asyncio.timeout(PATIENCE_S):
            async for event in self._events:
                self.told.append(event)
                if isinstance(event, kind):
                    return event
        raise AssertionError("the following ended by itself")

    @property
    def saved(self) -> list[str]:
        return [event.checkpoint.id for event in self.told if isinstance(event, CheckpointSaved)]


async def test_what_the_driver_does_is_told_as_it_is_saved(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    looking = Workbench(workbench.store.home)
    async with (
        workbench.open_session(session_id) as driven,
        looking.watch_session(session_id) as session,
    ):
        follower = Follower(session.follow())
        assert str((await follower.until(DriverSeen)).by).startswith("process ")
        assert follower.told[:-1] == [], "nothing has been saved yet"

        asked = await to_review(driven.resume())
        seen = await follower.until(ReviewRequested)
        assert seen == asked and seen.snapshot.diagnosis is not None
        assert follower.saved == [c.id for c in await driven.timeline()]

        repair = await to_repair(driven, driven.decide(asked.checkpoint_id, review.approve()))
        assert await follower.until(ReviewRequested) == repair
        ended = await to_end(driven.decide(repair.checkpoint_id, review.approve()))
        assert await follower.until(RunFinished) == ended
        assert ended.snapshot.program == {"shop.py": FIXED}

        await drain(driven.fork(asked.checkpoint_id, {"max_iterations": 9}, label="other"))
        forked = await follower.until(ReviewRequested)
        assert forked.branch == "other"
        assert list(dict.fromkeys(follower.saved)) == [c.id for c in await driven.timeline()]
        assert await session.timeline() == await driven.timeline()
    await looking.aclose()


async def test_the_end_of_a_driver_is_told_and_the_next_one(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    looking = Workbench(workbench.store.home)
    async with looking.watch_session(session_id) as session:
        follower = Follower(session.follow())
        assert await follower.until(DriverSeen) == DriverSeen("")
        async with workbench.open_session(session_id) as driven:
            asked = await to_review(driven.resume())
            assert (await follower.until(DriverSeen)).by
            assert await follower.until(ReviewRequested) == asked
        assert await follower.until(DriverSeen) == DriverSeen("")
        async with workbench.open_session(session_id):
            assert (await follower.until(DriverSeen)).by
            # It stands where it stood: said again, because without a driver nothing stands.
            assert await follower.until(ReviewRequested) == asked
    await looking.aclose()


async def test_a_follower_who_comes_late_is_told_where_things_stand(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as driven:
        async for event in driven.resume():
            if isinstance(event, CheckpointSaved) and event.checkpoint.next == ("diagnose",):
                break
        async with workbench.watch_session(session_id) as session:
            follower = Follower(session.follow())
            assert (await follower.until(NodeStarted)).node == "diagnose"
            assert [type(event) for event in follower.told] == [DriverSeen, CheckpointSaved, NodeStarted]
            assert follower.saved == [await driven.head()]


async def test_who_looks_cannot_write(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as driven:
        asked = await to_review(driven.resume())
        with pytest.raises(SessionBusy):
            async with workbench.open_session(session_id):
                pass
        async with workbench.watch_session(session_id) as session:
            assert not any(hasattr(session, name) for name in ("resume", "decide", "fork", "race"))
            with pytest.raises(SessionError, match="only looked at"):
                await session.branches.note("main", "mine")
        assert await to_review(driven.resume()) == asked
        assert [c.decision for c in await driven.timeline()] == [None] * len(list(await driven.timeline()))
    assert await _decisions(workbench, session_id) == 0


async def _decisions(workbench: Workbench, session_id: str) -> int:
    from selfheal_tui.store.session_db import open_db

    async with open_db(workbench.store.folder(session_id) / "session.db") as db:
        return int((await db.rows("select count(*) from decision"))[0][0])
