"""Whatever is decided, forked, raced, named, deleted and undone: history only grows, is one tree, and what is live is
on disk."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import tempfile
from collections.abc import Awaitable, Collection
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from selfheal_tui.engine.history.branches import Branches
from selfheal_tui.engine.history.check import check_session
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import Event, RaceFinished, ReviewRequested, RunFinished
from selfheal_tui.engine.moment.timeline import Checkpoint, Timeline
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import InputError
from selfheal_tui.store.marks import DELETED
from selfheal_tui.store.sessions import DB_NAME
from selfheal_tui.ui.view.model import RunModel, reduce
from tests.engine.driving import BUGGY, DIAGNOSIS, FIXED, options, repair_reply, script, shop_task
from tests.examples import examples

RUNS = ("approve", "reject", "stop", "edit", "fork", "race")
MARKS = ("rename", "note", "pin", "hide", "go", "keep", "delete")
WHERE = st.integers(0, 30)
RUN, MARK, BACK = (
    st.tuples(st.sampled_from(kinds), WHERE) for kinds in (RUNS, MARKS, ("undo", "undo", "redo", "reopen"))
)
# A run costs a hundred times what a mark does: few of those, many of these.
ACTIONS = st.lists(st.tuples(RUN, st.lists(MARK | BACK, max_size=8)), min_size=1, max_size=3).map(
    lambda rounds: [action for run, others in rounds for action in (run, *others)]
)
NAMES = ("mine", "trunk", "main", "undone-1", "approve-1", "race-max_iterations")
LANES: list[dict[str, Any]] = [{"max_iterations": 3}, {"feedback": "Mind the discount."}]


@settings(max_examples=examples(12, quick=2), deadline=None, suppress_health_check=list(HealthCheck))
@given(ACTIONS)
@example([("approve", 0), ("race", 2), ("undo", 0), ("redo", 0), ("undo", 0)])
@example([("race", 2), ("delete", 1), ("keep", 1), ("undo", 0), ("undo", 0)])
@example([("fork", 1), ("approve", 5), ("undo", 0), ("approve", 3), ("reopen", 0)])
@example([("approve", 1), ("reject", 1), ("reject", 3), ("delete", 1), ("reopen", 0)])
@example([("approve", 1), ("reject", 1), ("reject", 3), ("delete", 1), ("reopen", 0)])
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
        folder = bench.store.folder(session_id)
        seen: Timeline | None = None
        rows: dict[Any, tuple[Any, ...]] = {}
        decided_on: dict[int, str] = {}
        for stretch in _stretches(actions):
            async with bench.open_session(session_id) as session:
                if seen is not None:
                    seen, gone = _without_deleted(seen, await session.timeline())
                    taken = {number for number, branch in decided_on.items() if branch not in seen.branches}
                    assert not taken & _decided_on(folder / DB_NAME).keys(), "the answer that began a branch went too"
                    rows = {
                        key: row
                        for key, row in rows.items()
                        if key[1] not in gone and not (key[0] == "decision" and key[2] in taken)
                    }
                for action, where in stretch:
                    live = await _act(session, action, where)
                    now = await session.timeline()
                    assert live is None or _plain(live.timeline) == _plain(now), "what was told is what is on disk"
                    async with bench.watch_session(session_id) as beside:
                        assert await beside.timeline() == now, "opened again, it is what it is here"
                    if seen is not None:
                        _only_grew(seen, now)
                    before, rows, seen = rows, _raw_rows(folder / DB_NAME), now
                    assert {key: rows.get(key) for key in before} == before, "an old row was altered"
                    decided_on = _decided_on(folder / DB_NAME)
                    for checkpoint in now:
                        assert (await session.snapshot(checkpoint.id)).branch == checkpoint.branch
            assert check_session(folder)["damage"] == []
    finally:
        await bench.aclose()


def _stretches(actions: list[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    """Cut where the session is closed and opened again: at the start, at each `reopen`, and at the end."""
    found: list[list[tuple[str, int]]] = []
    for action in [("reopen", 0), *actions, ("reopen", 0)]:
        if action[0] == "reopen":
            found.append([])
        found[-1].append(action)
    return found


async def _act(session: Session, action: str, where: int) -> RunModel | None:
    """Do something; return what a screen would have made of it, None where nothing is told by events."""
    model = RunModel(timeline=await session.timeline())
    try:
        if action == "undo":
            await _undo(session)
            return None
        if action in ("redo", *MARKS):
            await (session.branches.redo() if action == "redo" else await _mark(session.branches, action, where))
            return None
        last: Event | None = None
        async for event in session.resume() if action == "reopen" else await _events(session, action, where):
            last = event
            model = reduce(model, event)
        assert isinstance(last, ReviewRequested | RunFinished | RaceFinished), last
        if isinstance(last, RaceFinished):
            assert last.lanes
        else:
            head = await session.head()
            assert head is not None and model.committed == await session.snapshot(head)
    except InputError:
        pass  # a question that is not there, a name that is taken, or an ended run: refused, and nothing changed
    return model


async def _undo(session: Session) -> None:
    """Take the newest act back; doing it again restores everything, and taking it back once more as well."""
    before = await session.timeline()
    await session.branches.undo()
    after = await session.timeline()
    await session.branches.redo()
    assert await session.timeline() == before, "done again, it is what it was"
    await session.branches.undo()
    assert await session.timeline() == after


async def _mark(branches: Branches, action: str, where: int) -> Awaitable[None]:
    names = await branches.names()
    name, on = names[where % len(names)], where % 3 > 0
    match action:
        case "rename":
            return branches.rename(name, NAMES[where % len(NAMES)])
        case "note":
            return branches.note(name, "a try" if on else "")
        case "pin":
            return branches.pin(name, on)
        case "hide":
            return branches.hide(name, on)
        case "go":
            return branches.go(name)
        case "keep":
            return branches.keep(name, await branches.lanes_beside(name))
    return branches.delete(name)


async def _events(session: Session, action: str, where: int) -> Any:
    moments = list(await session.timeline())
    asked = [c for c in moments if any(node.startswith("review") for node in c.next)]
    # Most answers go to a question, the others to any moment and are refused.
    chosen = asked if action not in ("fork", "race") and where % 5 and asked else moments
    at = chosen[where % len(chosen)].id
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


def _without_deleted(old: Timeline, new: Timeline) -> tuple[Timeline, Collection[str]]:
    """Check that closing the session took deleted branches and nothing else; return the rest, and the ids that went."""
    gone = old.branches.keys() - new.branches.keys()
    assert all(old.branches[name].hidden == DELETED for name in gone)
    ids = {c.id for c in old if c.branch in gone}
    assert _plain(new) == {c.id: c for c in old if c.id not in ids}, "reopened, it is what it was"
    assert gone or new == old
    assert all(new.branches[name] == old.branches[name] for name in new.branches)
    return new, ids


def _only_grew(old: Timeline, new: Timeline) -> None:
    roots = [c for c in new if c.parent_id is None]
    assert len(roots) == 1
    assert all(c.parent_id in new.checkpoints for c in new if c.parent_id is not None)
    assert new.stands in new.branches
    for checkpoint in old:
        # An undone line has another name, and its question waits again.
        kept = replace(new.checkpoints[checkpoint.id], branch=checkpoint.branch, pending=checkpoint.pending)
        assert kept == checkpoint


def _decided_on(path: Path) -> dict[int, str]:
    """Return number of a decision -> the branch that it is on or began; a deleted branch takes it along."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return dict(connection.execute("select id, branch from decision"))


def _raw_rows(path: Path) -> dict[Any, tuple[Any, ...]]:
    """Return (table, checkpoint's or act's id) -> its row, byte for byte.

    The name of its branch is the one thing of a checkpoint that may change.
    """
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        names = [row[1] for row in connection.execute("pragma table_info(checkpoints)")]
        rows = [dict(zip(names, row, strict=True)) for row in connection.execute("select * from checkpoints")]
        acts = {("act", row[0]): row for row in connection.execute("select * from act")}
        said = connection.execute("select id, asked_at, kind, value, made_at from decision")
        decisions = {("decision", row[1], row[0]): row for row in said}
    for row in rows:
        facts = json.loads(row["metadata"])
        row["metadata"] = {key: value for key, value in facts.items() if key != "branch"}
    return {("checkpoint", row["checkpoint_id"]): tuple(row.values()) for row in rows} | acts | decisions
