"""kill -9 at any step, then resume: no decision is lost and no checkpoint forks by accident."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import CheckpointSaved, ReviewRequested, RunFinished
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import SessionError
from selfheal_tui.store.decisions import new_decision
from selfheal_tui.store.session_db import open_db

from .driving import FIXED, drain, killed_at_here, options, shop_task, to_end, to_failure, to_repair, to_review

_CHILD = """
import asyncio, sys
from pathlib import Path
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import NodeStarted, CheckpointSaved, ReviewRequested
from selfheal_tui.engine.session.workbench import Workbench

async def main(home, session_id, stop_at, stop_when):
    bench = Workbench(Path(home))
    async with bench.open_session(session_id) as session:
        events, last = session.resume(), None
        while True:
            async for event in events:
                last = event
                name = getattr(event, "node", None) or getattr(getattr(event, "checkpoint", None), "node", "")
                if type(event).__name__ == stop_when and name == stop_at:
                    print("here", flush=True)
                    sys.stdin.readline()
            if not isinstance(last, ReviewRequested):
                return
            events = session.decide(last.checkpoint_id, review.approve(note="by the child"))

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("node", "when"),
    [
        ("run_suite", "NodeStarted"),
        pytest.param("diagnose", "CheckpointSaved", marks=pytest.mark.deep),
        pytest.param("propose", "NodeStarted", marks=pytest.mark.deep),
        pytest.param("review_repair", "NodeStarted", marks=pytest.mark.deep),
        ("review_repair", "CheckpointSaved"),
        pytest.param("apply", "NodeStarted", marks=pytest.mark.deep),
    ],
)
async def test_killed_run_resumes_without_loss(workbench: Workbench, node: str, when: str) -> None:
    session_id = await workbench.create(shop_task(), options())
    await killed_at_here(_CHILD, str(workbench.store.home), session_id, node, when)
    async with workbench.open_session(session_id) as session:
        kept = [c.id for c in await session.timeline()]
        last = None
        async for event in session.resume():
            last = event
        while isinstance(last, ReviewRequested):
            last = (await drain(session.decide(last.checkpoint_id, review.approve())))[-1]
        assert isinstance(last, RunFinished)
        assert (last.snapshot.outcome, last.snapshot.program) == ("healed", {"shop.py": FIXED})
        timeline = await session.timeline()
        assert kept == [c.id for c in timeline][: len(kept)]
        assert all(len(children) == 1 for children in timeline.children.values())
        assert list(timeline.branches) == ["main"]


@pytest.mark.parametrize("on_a_branch", [False, True])
async def test_journalled_decision_takes_effect_after_a_crash(workbench: Workbench, on_a_branch: bool) -> None:
    """The crash lies between writing the decision down and handing it to the graph."""
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        if on_a_branch:
            await to_end(session.decide(asked.checkpoint_id, review.stop()))
    decision = {"verdict": "approve", "value_ref": "", "pick": "", "note": "yes", "by": "human"}
    async with open_db(workbench.store.folder(session_id) / "session.db") as db:
        branch = "branch-2" if on_a_branch else "main"
        await db.write_all(new_decision(asked.checkpoint_id, branch, "repair", decision))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
        decided = [c.decision for c in await session.timeline() if c.node == "review_repair" and c.branch == branch]
    assert (ended.snapshot.outcome, ended.snapshot.branch) == ("healed", branch)
    assert decided[-1] is not None and decided[-1]["note"] == "yes"


async def test_a_decision_and_the_act_that_undoes_it_are_never_on_disk_without_each_other(workbench: Workbench) -> None:
    """A kill may come before any statement: the file is looked at from outside before each."""
    session_id = await workbench.create(shop_task(), options())
    path = workbench.store.folder(session_id) / "session.db"
    rows = "select (select count(*) from act where kind='decision'), (select count(*) from decision)"
    on_disk: set[tuple[int, int]] = set()
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        connection = session._db.connection

        def look(statement: str) -> None:
            with closing(sqlite3.connect(path)) as beside:
                on_disk.add(beside.execute(rows).fetchone())

        await connection.set_trace_callback(look)
        await to_end(session.decide(asked.checkpoint_id, review.approve()))
    assert on_disk == {(1, 1), (2, 2)}, "the diagnosis, then the repair too"


async def test_a_decision_that_cannot_be_written_leaves_no_act(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        refused = "create temp trigger refused before insert on decision begin select raise(abort, 'refused'); end"
        await session._db.connection.execute(refused)
        with pytest.raises(SessionError, match="refused"):
            await drain(session.decide(asked.checkpoint_id, review.approve()))
        assert (await session.branches.acts.standing()).done == ()
        assert await to_review(session.resume()) == asked


async def test_cancelled_run_resumes(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        events = session.resume()
        async for event in events:
            if isinstance(event, CheckpointSaved) and event.checkpoint.node == "diagnose":
                break
        await events.aclose()
        kept = [c.id for c in await session.timeline()]
        ended = await to_end(session.resume())
        assert ended.snapshot.outcome == "healed"
        assert [c.id for c in await session.timeline()][: len(kept)] == kept


async def test_damaged_body_is_named_not_hidden(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options())
    path = workbench.store.folder(session_id) / "session.db"
    async with workbench.open_session(session_id) as session:
        with sqlite3.connect(path) as connection:
            initial = json.loads(connection.execute("select value from meta where key='initial'").fetchone()[0])
            connection.execute("update blob set body=x'00' where ref=?", (initial["manifest_ref"],))
        connection.close()
        failed = await to_failure(session.resume())
    assert isinstance(failed.error, SessionError) and "damaged" in failed.error.message
    assert workbench.list_sessions()[0].outcome == "failed"
    with pytest.raises(SessionError, match="damaged"):
        async with workbench.open_session(session_id):
            pass
