"""Whatever is decided, forked, raced and undone: history only grows, is one tree, and what was live is on disk."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from selfheal_tui.engine import review
from selfheal_tui.engine.events import Event, RaceFinished, ReviewRequested, RunFinished
from selfheal_tui.engine.session import Session
from selfheal_tui.engine.timeline import Checkpoint, Timeline
from selfheal_tui.engine.workbench import Workbench
from selfheal_tui.errors import InputError
from selfheal_tui.store.sessions import DB_NAME
from selfheal_tui.ui.model import RunModel, reduce
from tests.engine.driving import BUGGY, DIAGNOSIS, FIXED, options, repair_reply, script, shop_task

ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["approve", "reject", "stop", "edit", "fork", "race", "undo", "redo", "reopen"]),
        st.integers(0, 30),
    ),
    min_size=1,
    max_size=5,
)
LANES: list[dict[str, Any]] = [{"max_iterations": 3}, {"feedback": "Mind the discount."}]


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(ACTIONS)
@example([("approve", 0), ("race", 2), ("undo", 0), ("redo", 0), ("undo", 0)])
@example([("fork", 1), ("approve", 5), ("undo", 0), ("approve", 3), ("reopen", 0)])
def test_history_only_grows(actions: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as home:
        asyncio.run(_drive(Path(home), actions))


async def _drive(home: Path, actions: list[tuple[str, int]]) -> None:
    model = script(
        home / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "when": "no", "reply": repair_reply(FIXED)},
        {"role": "repairer", "reply": repair_reply(BUGGY + "\n")},
    )
    bench = Workbench(home / "sessions")
    try:
        session_id = await bench.create(shop_task(), options(model, "review_all", 2))
        path = bench.store.folder(session_id) / DB_NAME
        seen: Timeline | None = None
        rows: dict[str, tuple[Any, ...]] = {}
        for action, where in [("reopen", 0), *actions]:
            async with bench.open_session(session_id) as session:
                if seen is not None:
                    assert await session.timeline() == seen, "reopened, it is what it was"
                live = await _act(session, action, where)
                now = await session.timeline()
                assert live is None or _plain(live.timeline) == _plain(now), "what was told is what is on disk"
                if seen is not None:
                    _only_grew(seen, now)
                seen = now
                for checkpoint in now:
                    assert (await session.snapshot(checkpoint.id)).branch == checkpoint.branch
            before, rows = rows, _raw_rows(path)
            assert {key: rows.get(key) for key in before} == before, "an old row was altered"
    finally:
        await bench.aclose()


async def _act(session: Session, action: str, where: int) -> RunModel | None:
    """Do something; return what a screen would have made of it, None where nothing is told by events."""
    model = RunModel(timeline=await session.timeline())
    try:
        if action in ("undo", "redo"):
            await (session.branches.undo() if action == "undo" else session.branches.redo())
            return None
        last: Event | None = None
        async for event in session.resume() if action == "reopen" else await _events(session, action, where):
            last = event
            model = reduce(model, event)
        assert isinstance(last, ReviewRequested | RunFinished | RaceFinished), last
        if not isinstance(last, RaceFinished):
            head = await session.head()
            assert head is not None and model.committed == await session.snapshot(head)
    except InputError:
        pass  # a question that is not there, or an ended run: refused, and nothing changed
    return model


async def _events(session: Session, action: str, where: int) -> Any:
    ids = list((await session.timeline()).checkpoints)
    at = ids[where % len(ids)]
    answers = {
        "approve": review.approve(),
        "reject": review.reject("no"),
        "stop": review.stop(),
        "edit": review.edit(DIAGNOSIS),
    }
    if action == "race":
        return session.race(at, LANES)
    return session.fork(at, {}) if action == "fork" else session.decide(at, answers[action])


def _plain(timeline: Timeline) -> dict[str, Checkpoint]:
    return dict(timeline.checkpoints)


def _only_grew(old: Timeline, new: Timeline) -> None:
    roots = [c for c in new if c.parent_id is None]
    assert len(roots) == 1
    assert all(c.parent_id in new.checkpoints for c in new if c.parent_id is not None)
    for checkpoint in old:
        # An undone line has another name, and its question waits again.
        kept = replace(new.checkpoints[checkpoint.id], branch=checkpoint.branch, pending=checkpoint.pending)
        assert kept == checkpoint


def _raw_rows(path: Path) -> dict[str, tuple[Any, ...]]:
    """Return checkpoint id -> its row, byte for byte; the name of its branch is the one thing that may change."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        names = [row[1] for row in connection.execute("pragma table_info(checkpoints)")]
        rows = [dict(zip(names, row, strict=True)) for row in connection.execute("select * from checkpoints")]
    for row in rows:
        facts = json.loads(row["metadata"])
        row["metadata"] = {key: value for key, value in facts.items() if key != "branch"}
    return {row["checkpoint_id"]: tuple(row.values()) for row in rows}
