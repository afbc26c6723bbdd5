"""What goes wrong outside: a full disk at any moment, a clock that goes back, two who answer the same question."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import pytest

from selfheal_tui.engine.history.check import check_session
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import Event, ReviewRequested, RunFailed, RunFinished
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import SessionBusy, SessionError
from selfheal_tui.store.sessions import DB_NAME

from .driving import DIAGNOSIS, FIXED, drain, options, repair_reply, script, shop_task, to_end, to_repair, to_review

USAGE = {"input_tokens": 10, "output_tokens": 5, "cost_usd": 0.01}


async def allow_pages(session: Session, more: int | None) -> None:
    """Let the file grow by so many pages: SQLite then says what it says on a full disk. None: without end."""
    ((pages,),) = await session._db.rows("pragma page_count")
    await session._db.connection.execute(f"pragma max_page_count={1 << 30 if more is None else pages + more}")


@pytest.mark.parametrize("pages", [0, 1, 3, 5, 8, 12])
async def test_a_disk_that_is_full_at_any_moment_loses_nothing(
    workbench: Workbench, tmp_path: Path, pages: int
) -> None:
    """The run or the decision ends with a sentence; with room again it goes on, and nothing is paid twice."""
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": {**DIAGNOSIS, "cause": "x" * 1900}, "usage": USAGE},
        {"role": "repairer", "reply": repair_reply(FIXED), "usage": USAGE},
    )
    session_id = await workbench.create(shop_task(), options(model))
    path = workbench.store.folder(session_id) / DB_NAME
    failures, decided, last = 0, 0, None
    for _ in range(30):
        async with workbench.open_session(session_id) as session:
            await allow_pages(session, pages)
            last, error = await _go_on(session, last)
            failures += error is not None
            if error is not None:
                assert "disk is full" in error.message and error.exit_code == 6
                await allow_pages(session, None)
                # What was told as failed is not there: the same question waits, or the run goes on from before.
                last = (await drain(session.resume()))[-1]
            decided = sum(c.decision is not None for c in await session.timeline())
            if isinstance(last, RunFinished):
                break
    assert isinstance(last, RunFinished) and last.snapshot.program == {"shop.py": FIXED}
    assert decided == 3, "diagnosis, repair, and the policy's end"
    spent = last.snapshot.spent
    assert (spent["calls"], spent["input_tokens"]) == (2, 20)
    assert failures or pages > 3
    report = check_session(path.parent)
    assert report["sound"] and report["checkpoints"] == report["whole"]


async def _go_on(session: Session, last: Event | None) -> tuple[Event, SessionError | None]:
    """Resume, or approve what was asked; return the last event, and the error that it or the journal ended with."""
    try:
        if isinstance(last, ReviewRequested):
            ended = (await drain(session.decide(last.checkpoint_id, review.approve())))[-1]
        else:
            ended = (await drain(session.resume()))[-1]
    except SessionError as error:
        assert last is not None
        return last, error
    if isinstance(ended, RunFailed):
        assert isinstance(ended.error, SessionError), ended
        return ended, ended.error
    return ended, None


async def test_a_clock_that_goes_back_changes_no_order(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """LangGraph's ids hold the time: after a night's correction a new moment's id is smaller than its parent's."""
    import langgraph.checkpoint.base.id as ids
    import langgraph.pregel._checkpoint as stamps

    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
    real, day_ns = time.time_ns, 86_400 * 10**9

    class Yesterday(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return datetime.fromtimestamp((real() - day_ns) / 1e9, tz or UTC)

    monkeypatch.setattr(time, "time_ns", lambda: real() - day_ns)
    monkeypatch.setattr(ids, "_last_v6_timestamp", None)
    monkeypatch.setattr(stamps, "datetime", Yesterday)
    async with workbench.open_session(session_id) as session:
        repeated = await to_review(session.resume())
        assert repeated == asked
        repair = await to_repair(session, session.decide(asked.checkpoint_id, review.approve()))
        assert repair.checkpoint_id < asked.checkpoint_id and repair.snapshot.candidates
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.decide(repair.checkpoint_id, review.approve()))
        timeline = await session.timeline()
        assert await session.head() == ended.snapshot.checkpoint_id == list(timeline)[-1].id
        assert list(timeline.lineage(ended.snapshot.checkpoint_id)) == list(timeline), "one line, in the order written"
        assert list(timeline)[-1].created_at < next(iter(timeline)).created_at
    assert (ended.snapshot.outcome, list(timeline.branches)) == ("healed", ["main"])
    (row,) = workbench.list_sessions()
    assert (row.outcome, row.iteration) == ("healed", 1)


async def test_two_who_answer_the_same_question(workbench: Workbench) -> None:
    """One wins, the other hears who drives; whoever comes later answers again, on a branch."""
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
    others = [Workbench(workbench.store.home) for _ in range(4)]

    async def answer(bench: Workbench, number: int) -> Event | SessionBusy:
        try:
            async with bench.open_session(session_id) as session:
                return (await drain(session.decide(asked.checkpoint_id, review.reject(f"by {number}"))))[-1]
        except SessionBusy as busy:
            return busy

    ends = await asyncio.gather(*(answer(bench, number) for number, bench in enumerate(others)))
    told = [end for end in ends if isinstance(end, SessionBusy)]
    assert len(told) == 3 and all("process" in busy.message for busy in told)
    async with workbench.open_session(session_id) as session:
        timeline = await session.timeline()
        decided = [c.decision["note"] for c in timeline if c.decision]
        assert len(decided) == 1 and list(timeline.branches) == ["main"]
        await drain(session.decide(asked.checkpoint_id, review.reject("once more")))
        assert len((await session.timeline()).branches) == 2
    for bench in others:
        await bench.aclose()
