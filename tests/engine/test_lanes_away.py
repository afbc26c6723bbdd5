"""A race whose lanes run in copies of the session elsewhere: the history is as if they had run here."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.cli.compose import build_workbench
from selfheal_tui.cluster.lanes_on_ray import LanesOnRay
from selfheal_tui.cluster.room import RoomSetup
from selfheal_tui.cluster.versions import versions
from selfheal_tui.engine.history.check import check_session
from selfheal_tui.engine.moment.events import CallFinished, CheckpointSaved, LaneTold, Noticed, RunFailed
from selfheal_tui.engine.moment.state import no_spend
from selfheal_tui.engine.out.transfer.joining import Joining, send_away
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.workshop.race_budget import RaceBudget
from selfheal_tui.errors import InputError
from selfheal_tui.settings import default_settings
from selfheal_tui.store.session_db import open_db

from .driving import BUGGY, DIAGNOSIS, FIXED, TESTS, drain, options, repair_reply, script, shop_task, to_review
from .lone_worker import LoneWorker
from .test_race import USAGE, WORSE, finished, lane, model, paid, started


@pytest.fixture
def ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoneWorker]:
    """A worker with a folder of its own, of which nothing may be left."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    worker = LoneWorker()
    yield worker
    worker.shutdown()
    assert not list(tmp_path.glob("selfheal-worker-*/*")) and not list(tmp_path.glob("selfheal-lane-*"))


def place(ray: LoneWorker, **changes: Any) -> LanesOnRay:
    setup = RoomSetup("race", default_settings({}), partial(build_workbench, suite_limits=None), versions(), None, {})
    return LanesOnRay(ray, replace(setup, **changes))


LANES = [lane(strategies="minimal"), lane(strategies="rewrite")]


def rows(workbench: Workbench, session_id: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return what must never change once it is there."""
    queries = {
        "checkpoints": "select checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata from checkpoints",
        "call": "select * from call",
        "blob": "select ref from blob",
        "act": "select * from act",
        "decision": "select * from decision",
    }
    with closing(sqlite3.connect(workbench.store.folder(session_id) / "session.db")) as db:
        return {name: db.execute(query).fetchall() for name, query in queries.items()}


async def test_lanes_come_home_as_if_they_had_run_here(workbench: Workbench, tmp_path: Path, ray: LoneWorker) -> None:
    task = replace(shop_task(), root=str(tmp_path))
    session_id = await workbench.create(task, options(model(tmp_path), max_iterations=1))
    async with workbench.open_session(session_id) as session:
        await to_review(session.resume())
        at = next(c.id for c in await session.timeline() if c.node == "run_suite")
    before = rows(workbench, session_id)
    async with workbench.open_session(session_id) as session:
        ended, told = await finished(session.race(at, LANES, place=place(ray)))
        first, second = ended.lanes
        assert (first.branch, first.outcome, first.passed) == ("race-rewrite", "healed", 2)
        assert (second.branch, second.outcome) == ("race-minimal", "gave_up")
        assert (first.spent["cost_usd"], ended.spent["cost_usd"]) == (0.5, 1.0), "the diagnosis was paid before"
        assert paid(told) == 2 and len(await session.calls()) == 3
        saved = [
            e.event.checkpoint.id for e in told if isinstance(e, LaneTold) and isinstance(e.event, CheckpointSaved)
        ]
        timeline = await session.timeline()
        lanes = [c.id for c in timeline if c.branch != "main"]
        assert sorted(saved) == sorted(lanes), "each moment is told once"
        assert timeline.branches["race-rewrite"].forked_from == at
        assert await session.root() == tmp_path, "no folder left, and so none was lost"
        assert (await session.snapshot(first.checkpoint_id)).program == {"shop.py": FIXED}
        used = {(row["branch"], row["role"]) for row in await session.usage() if row["calls"]}
        assert used >= {("race-rewrite", "repairer"), ("race-minimal", "repairer")}
        again, _ = await finished(session.resume(place(ray)))
        assert again == ended and ray.begun == 2, "lanes at rest are not sent again"
        await session.branches.keep("race-rewrite", [x.branch for x in ended.lanes])
    after = rows(workbench, session_id)
    assert all(set(before[name]) <= set(after[name]) for name in before)
    assert check_session(workbench.store.folder(session_id))["sound"]


async def test_a_worker_that_dies_costs_the_rest_of_its_lane_and_no_paid_call(
    workbench: Workbench, tmp_path: Path, ray: LoneWorker
) -> None:
    other = model(tmp_path)
    session_id, at = await started(workbench, "search")
    async with workbench.open_session(session_id) as session:
        lanes = [lane(strategies=name, model=other, debug_steps="0") for name in ("minimal", "rewrite")]
        ray.dies_after = [9, 9]
        ended, told = await finished(session.race(at, lanes, place=place(ray)))
        assert ray.begun == 4
        assert sum(isinstance(e, LaneTold) and isinstance(e.event, Noticed) for e in told) == 2
        # The second lane was sent when the diagnosis of the first was not home yet: they ask apart.
        calls = [call["role"] for call in await session.calls()]
        assert ended.spent["calls"] == paid(told) and calls.count("repairer") == 2
        assert ended.lanes[0].outcome == "healed"
        again, _ = await finished(session.resume())
        assert again.spent == ended.spent
    assert check_session(workbench.store.folder(session_id))["sound"]


@pytest.mark.deep
async def test_a_lane_of_which_every_worker_dies_can_be_resumed_and_the_others_go_on(
    workbench: Workbench, tmp_path: Path, ray: LoneWorker
) -> None:
    session_id, at = await started(workbench, model(tmp_path))
    async with workbench.open_session(session_id) as session:
        ray.dies_after = [0, -1, 0, 0]
        ended, _ = await finished(session.race(at, LANES, place=place(ray)))
        failed = next(x for x in ended.lanes if x.outcome == "failed")
        assert "3 workers died of this lane, the last with WorkerDied." in failed.reason
        ended, _ = await finished(session.resume())
        assert {x.outcome for x in ended.lanes} == {"healed", "gave_up"}


async def test_an_interrupted_race_goes_on_here_from_what_came_home(
    workbench: Workbench, tmp_path: Path, ray: LoneWorker
) -> None:
    session_id, at = await started(workbench, model(tmp_path))
    async with workbench.open_session(session_id) as session:
        events = session.race(at, LANES, place=place(ray))
        async for event in events:
            if isinstance(event, LaneTold) and isinstance(event.event, CallFinished):
                break
        # It is told of before the reply is home; the next event is told when it is.
        await anext(events)
        await events.aclose()
    async with workbench.open_session(session_id) as session:
        kept = len(await session.calls())
        ended, told = await finished(session.resume())
        assert len(await session.calls()) == kept + paid(told) == 3
        assert ended.lanes[0].outcome == "healed" and ended.spent["calls"] == 2


@pytest.mark.deep
async def test_a_lane_that_asks_waits_with_its_question_here(
    workbench: Workbench, tmp_path: Path, ray: LoneWorker
) -> None:
    session_id, at = await started(workbench, model(tmp_path))
    async with workbench.open_session(session_id) as session:
        asks = {**lane(strategies="rewrite"), "autonomy": "review_repairs"}
        ended, _ = await finished(session.race(at, [asks, lane(strategies="minimal")], place=place(ray)))
        waiting = next(x for x in ended.lanes if x.outcome == "waiting")
        assert (waiting.branch, waiting.asks) == ("race-rewrite", "diagnosis")


@pytest.mark.deep
async def test_each_lane_keeps_to_its_part_of_the_budget(workbench: Workbench, tmp_path: Path, ray: LoneWorker) -> None:
    worse = script(
        tmp_path / "w.yaml",
        {"role": "debugger", "reply": DIAGNOSIS, "usage": USAGE},
        {"role": "repairer", "reply": repair_reply(WORSE), "usage": USAGE},
    )
    session_id, at = await started(workbench, "search")
    async with workbench.open_session(session_id) as session:
        lanes = [{**lane(afresh="yes", model=worse), "max_iterations": "9"} for _ in range(2)]
        ended, told = await finished(session.race(at, lanes, {"max_calls": 5}, place(ray)))
        assert {x.outcome for x in ended.lanes} == {"budget"}
        assert sorted(x.spent["calls"] for x in ended.lanes) == [2, 3] and paid(told) == 5
        assert all("This lane's part of the race's budget: The budget of " in x.reason for x in ended.lanes)


@pytest.mark.deep
async def test_a_lanes_own_prompts_go_with_it(workbench: Workbench, tmp_path: Path, ray: LoneWorker) -> None:
    own = tmp_path / "own"
    own.mkdir()
    prompt = (Path(__file__).parents[2] / "prompts" / "repairer.yaml").read_text("utf-8")
    (own / "repairer.yaml").write_text(prompt.replace("system: |", "system: |\n  Speak like a pirate.", 1), "utf-8")
    session_id, at = await started(workbench, model(tmp_path))
    async with workbench.open_session(session_id) as session:
        lanes = [lane(strategies="rewrite"), lane(strategies="rewrite", prompts=str(own))]
        await finished(session.race(at, lanes, place=place(ray)))
        asked = [call["prompt"] for call in await session.calls() if call["role"] == "repairer"]
    assert sorted("pirate" in prompt for prompt in asked) == [False, True]


async def test_another_version_at_the_worker_is_told_in_a_sentence(
    workbench: Workbench, tmp_path: Path, ray: LoneWorker
) -> None:
    session_id, at = await started(workbench, model(tmp_path))
    async with workbench.open_session(session_id) as session:
        other = place(ray, versions={**versions(), "selfheal": "0.0"})
        told = await drain(session.race(at, LANES, place=other))
        failures = [e.event.error for e in told if isinstance(e, LaneTold) and isinstance(e.event, RunFailed)]
        assert len(failures) == 2
        assert "it has selfheal " in str(failures[0]) and "Install the same versions on all machines." in str(
            failures[0]
        )


async def test_a_session_that_holds_a_key_stays_at_home(
    workbench: Workbench, tmp_path: Path, ray: LoneWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-canary-9f27c1d4e8"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    task = shop_task(f"# {key}\n{BUGGY}", TESTS)
    session_id = await workbench.create(task, options(model(tmp_path), max_iterations=1))
    async with workbench.open_session(session_id) as session:
        await to_review(session.resume())
        at = next(c.id for c in await session.timeline() if c.node == "run_suite")
        told = await drain(session.race(at, LANES, place=place(ray)))
        failures = [e.event.error for e in told if isinstance(e, LaneTold) and isinstance(e.event, RunFailed)]
        assert len(failures) == 2 and "The session holds a key" in str(failures[0]) and key not in str(failures[0])
    assert ray.begun == 0


async def test_what_is_no_copy_of_this_session_is_refused_and_changes_nothing(
    workbench: Workbench, tmp_path: Path
) -> None:
    here, at = await started(workbench, "search")
    there, _ = await started(workbench, "search")
    letter, _ = send_away(workbench.store.folder(there))
    async with workbench.open_session(here) as session:
        await drain(session.fork(at, {}, "mine", run=False))
    before = rows(workbench, here)
    async with open_db(workbench.store.folder(here) / "session.db") as db:
        joining = Joining(db, "mine", {})
        await joining.begin()
        with pytest.raises(InputError, match="moments that are not of branch 'mine'"):
            await joining.take(letter)
        with pytest.raises(InputError, match="ends early"):
            await joining.take(letter[:-20])
    assert rows(workbench, here) == before


def test_what_is_left_of_a_budget_is_cut_into_equal_parts() -> None:
    limits: Any = {"max_iterations": 1, "max_calls": 6, "max_tokens": None, "max_cost_usd": 1.0, "max_time_s": 30.0}
    pool = RaceBudget(limits, {"a": no_spend(), "b": no_spend()})
    pool.begin("a", {**no_spend(), "calls": 1, "cost_usd": 0.4, "time_s": 10.0}, no_spend())
    first, second = pool.parts(2)
    assert (first["max_calls"], second["max_calls"]) == (3, 2)
    assert first["max_cost_usd"] == second["max_cost_usd"] == pytest.approx(0.3)
    assert first["max_time_s"] == 10.0 and first["max_tokens"] is None
    pool.begin("b", {**no_spend(), "calls": 9, "cost_usd": None}, no_spend())
    assert [part["max_calls"] for part in pool.parts(2)] == [0, 0] and pool.parts(1)[0]["max_cost_usd"] == 0
