"""A race: one moment forked several ways, side by side, under one budget; what is paid is paid once.

start - run_suite -+- race-minimal
                   `- race-rewrite
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import CallFinished, CheckpointSaved, Event, LaneTold, RaceFinished, RunFinished
from selfheal_tui.engine.moment.state import no_spend, spend_of
from selfheal_tui.engine.session.lanes import parse_lane, parse_race
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.workshop.purse import Purse
from selfheal_tui.engine.workshop.race_budget import RaceBudget
from selfheal_tui.engine.workshop.role_context import RoleContext
from selfheal_tui.errors import InputError
from selfheal_tui.llm.base import Usage

from .driving import (
    BUGGY,
    DIAGNOSIS,
    FIXED,
    HARD_PROGRAM,
    HARD_TESTS,
    drain,
    killed_at_here,
    options,
    repair_reply,
    script,
    shop_task,
    to_end,
    to_review,
)

HARD = (HARD_PROGRAM, HARD_TESTS)
USAGE = {"input_tokens": 100, "output_tokens": 20, "cost_usd": 0.5}
WORSE = BUGGY.replace("amount + discount", "discount")
QUIET = {"critic": "off", "autonomy": "full_auto"}


def model(tmp_path: Path) -> str:
    """Only the rewrite heals; every call costs half a dollar."""
    return script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS, "usage": USAGE},
        {"role": "repairer", "when": "Write the faulty function anew", "reply": repair_reply(FIXED), "usage": USAGE},
        {"role": "repairer", "reply": repair_reply(WORSE), "usage": USAGE},
    )


async def started(workbench: Workbench, name: str) -> tuple[str, str]:
    """Run to the first question of a session; return it and the moment after the suite."""
    session_id = await workbench.create(shop_task(), options(name, max_iterations=1))
    async with workbench.open_session(session_id) as session:
        await to_review(session.resume())
        return session_id, next(c.id for c in await session.timeline() if c.node == "run_suite")


def lane(**changes: str) -> dict[str, str]:
    return {**changes, **QUIET, "near_miss_s": "0"}


async def finished(events: AsyncGenerator[Event, None]) -> tuple[RaceFinished, list[Event]]:
    told = await drain(events)
    assert isinstance(told[-1], RaceFinished), told[-1]
    return told[-1], told


async def _up_to(events: AsyncGenerator[Event, None], kind: type[Event]) -> list[Event]:
    """Return what is told up to the first event of a kind."""
    told: list[Event] = []
    async with asyncio.timeout(60), aclosing(events):
        async for event in events:
            told.append(event)
            if isinstance(event, kind):
                break
    return told


def paid(told: list[Event]) -> int:
    calls = [e.event for e in told if isinstance(e, LaneTold)]
    return sum(isinstance(e, CallFinished) and not e.replayed for e in calls)


async def test_lanes_run_side_by_side_and_the_winner_is_kept(workbench: Workbench, tmp_path: Path) -> None:
    session_id, at = await started(workbench, model(tmp_path))
    async with workbench.open_session(session_id) as session:
        ended, told = await finished(session.race(at, [lane(strategies="minimal"), lane(strategies="rewrite")]))
        first, second = ended.lanes
        assert (first.branch, first.outcome, first.passed) == ("race-rewrite", "healed", 2)
        assert (second.branch, second.outcome) == ("race-minimal", "gave_up")
        order = [e.branch for e in told if isinstance(e, LaneTold) and isinstance(e.event, CheckpointSaved)]
        runs = sum(a != b for a, b in pairwise(order))
        assert runs > 3, "the lanes take turns"
        assert (first.spent["cost_usd"], ended.spent["cost_usd"]) == (0.5, 1.0), "the diagnosis was paid before"
        timeline = await session.timeline()
        assert (timeline.stands, timeline.branches["race-rewrite"].forked_from) == ("main", at)
        again, _ = await finished(session.resume())
        assert await session.raced() == again
        async with Workbench(workbench.store.home).watch_session(session_id) as watched:
            *before, last = await _up_to(watched.follow(), RaceFinished)
            assert isinstance(last, RaceFinished) and last.lanes == ended.lanes
            assert not any(isinstance(event, RunFinished) for event in before)
        row = workbench.store.row(session_id)
        assert (row.waiting_for, row.reason) == ("race", ""), "no lane's end is the session's"
        assert again.lanes == ended.lanes, "the choice waits"
        await session.branches.go("main")
        assert (await to_review(session.resume())).branch == "main", "none of them, after all"
        await session.branches.undo()
        await session.branches.keep("race-rewrite", [x.branch for x in ended.lanes])
        timeline = await session.timeline()
        assert await session.raced() is None
        assert (timeline.stands, timeline.branches["race-minimal"].hidden) == ("race-rewrite", "race")
        assert (await to_end(session.resume())).snapshot.program == {"shop.py": FIXED}
        await session.branches.undo()
        await session.branches.undo()
        timeline = await session.timeline()
        assert timeline.stands == "main"
        assert {timeline.branches[n].hidden for n in ("race-minimal", "race-rewrite")} == {"undone"}


async def test_the_list_of_sessions_tells_a_race_that_runs_from_a_question_that_waits(
    workbench: Workbench, tmp_path: Path
) -> None:
    session_id, at = await started(workbench, model(tmp_path))
    (before,) = workbench.session_rows([session_id])
    assert before.waiting_for == "diagnosis"
    rows = []
    async with workbench.open_session(session_id) as session:
        async for event in session.race(at, [lane(strategies="minimal"), lane(strategies="rewrite")]):
            if isinstance(event, LaneTold) and isinstance(event.event, CheckpointSaved):
                rows += workbench.session_rows([session_id])
        assert (rows[1].waiting_for, rows[1].outcome) == ("", "running")
        assert rows[-1].updated_at > rows[1].updated_at > before.updated_at
        (over,) = workbench.session_rows([session_id])
        assert (over.outcome, over.waiting_for, over.reason) == ("waiting", "race", ""), "a lane is to be chosen"
        await session.branches.go("main")
    (after,) = workbench.session_rows([session_id])
    assert after.waiting_for == "diagnosis" and after.updated_at > rows[-1].updated_at, "the user did something"


async def test_a_lane_that_asks_waits_with_its_question(workbench: Workbench, tmp_path: Path) -> None:
    session_id, at = await started(workbench, model(tmp_path))
    async with workbench.open_session(session_id) as session:
        asks = {**lane(strategies="rewrite"), "autonomy": "review_repairs"}
        ended, _ = await finished(session.race(at, [asks, lane(strategies="minimal")]))
        waiting = next(x for x in ended.lanes if x.outcome == "waiting")
        assert (waiting.branch, waiting.asks) == ("race-rewrite", "diagnosis")
        asked = await to_review(session.decide(waiting.checkpoint_id, review.approve()))
        assert (asked.branch, asked.kind) == ("race-rewrite", "repair")
        assert (await session.timeline()).stands == "race-rewrite"
        assert (await to_end(session.decide(asked.checkpoint_id, review.approve()))).snapshot.outcome == "healed"


async def test_lanes_that_ask_the_same_at_the_same_time_pay_once(workbench: Workbench, tmp_path: Path) -> None:
    other = model(tmp_path)
    session_id, at = await started(workbench, "search")
    async with workbench.open_session(session_id) as session:
        # Without tools: where little of the budget is left, a lane that comes later is asked without them.
        lanes = [lane(strategies=name, model=other, debug_steps="0") for name in ("minimal", "rewrite", "defensive")]
        # A replayed call costs the lanes nothing: the budget is that of the paid ones.
        ended, told = await finished(session.race(at, lanes, {"max_calls": 5}))
        diagnoses = [call for call in await session.calls() if call["role"] == "debugger"]
    assert len(diagnoses) == 1
    assert ended.spent["calls"] == paid(told) == 4
    assert sum(x.spent["replayed_calls"] for x in ended.lanes) >= 2
    assert ended.spent["cost_usd"] == 2.0


async def test_the_budget_is_of_all_lanes_together(workbench: Workbench, tmp_path: Path) -> None:
    worse = script(
        tmp_path / "w.yaml",
        {"role": "debugger", "reply": DIAGNOSIS, "usage": USAGE},
        {"role": "repairer", "reply": repair_reply(WORSE), "usage": USAGE},
    )
    session_id, at = await started(workbench, "search")
    async with workbench.open_session(session_id) as session:
        lanes = [{**lane(afresh="yes", model=worse), "max_iterations": "9"} for _ in range(3)]
        ended, told = await finished(session.race(at, lanes, {"max_calls": 4}))
        assert {x.outcome for x in ended.lanes} == {"budget"}
        assert ended.spent["calls"] == 4
        assert paid(told) == ended.spent["calls"]
        assert all("All lanes together: The budget of 4 calls is used up" in x.reason for x in ended.lanes)


async def test_a_search_that_runs_when_the_time_of_all_lanes_ends_is_cut_off(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RoleContext, "search_time_s", 0.3)
    session_id = await workbench.create(shop_task(*HARD), options("search", autonomy="review_all"))
    async with workbench.open_session(session_id) as session:
        at = (await to_review(session.resume())).checkpoint_id
        monkeypatch.setattr(RoleContext, "search_time_s", 60.0)
        lanes = [{**QUIET, "feedback": "one"}, {**QUIET, "feedback": "two"}]
        ended, _ = await finished(session.race(at, lanes, {"max_time_s": 2}))
        assert [x.outcome for x in ended.lanes] == ["budget", "budget"]
        said = "All lanes together: The budget of 2 s is used up (2"
        assert all(x.reason.startswith(said) for x in ended.lanes)
        assert all(x.reason.endswith(" Cut off while it was looking for the cause.") for x in ended.lanes)
        assert 1.9 <= ended.spent["time_s"] < 40, "one search alone would have taken a minute"
        assert await session.raced() == ended


@pytest.mark.parametrize(
    ("lanes", "budget", "message"),
    [
        ([{}], {}, "2 to 9 lanes"),
        ([{}, {"colour": "red"}], {}, "cannot set 'colour'"),
        ([{}, {"max_iterations": "many"}], {}, "max_iterations cannot be"),
        ([{}, {}], {"max_calls": 0}, "max_calls cannot be"),
        ([{}, {}], {"max_iterations": 2}, "no budget 'max_iterations'"),
        ([{}, {"prompts": "/nowhere"}], {}, "no folder '/nowhere'"),
    ],
)
async def test_a_race_that_cannot_be_is_refused_and_leaves_nothing(
    workbench: Workbench, lanes: list[dict[str, Any]], budget: dict[str, Any], message: str
) -> None:
    session_id, at = await started(workbench, "search")
    async with workbench.open_session(session_id) as session:
        before = await session.timeline()
        with pytest.raises(InputError, match=message):
            await drain(session.race(at, lanes, budget))
        assert await session.timeline() == before
        with pytest.raises(InputError, match="nothing to undo"):
            await session.branches.undo()


async def test_a_cancelled_race_goes_on_lane_by_lane(workbench: Workbench, tmp_path: Path) -> None:
    session_id, at = await started(workbench, model(tmp_path))
    async with workbench.open_session(session_id) as session:
        events = session.race(at, [lane(strategies="minimal"), lane(strategies="rewrite")])
        async for event in events:
            if isinstance(event, LaneTold) and isinstance(event.event, CheckpointSaved):  # noqa: SIM102
                if event.event.checkpoint.node == "plan":
                    break
        await events.aclose()
        kept = [c.id for c in await session.timeline()]
    async with workbench.open_session(session_id) as session:
        ended, _ = await finished(session.resume())
        timeline = await session.timeline()
        assert [c.id for c in timeline][: len(kept)] == kept
        assert sum(len(children) > 1 for children in timeline.children.values()) == 1, "only where the lanes part"
        assert ended.spent["calls"] == 2 and len(await session.calls()) == 3
        assert ended.lanes[0].outcome == "healed"


_CHILD = """
import asyncio, os, sys
from itertools import pairwise
from pathlib import Path
from selfheal_tui.engine.moment.events import CallFinished, LaneTold
from selfheal_tui.engine.session.workbench import Workbench
from tests.engine.test_race import lane

async def main(home, session_id, at, calls):
    async with Workbench(Path(home)).open_session(session_id) as session:
        seen = 0
        async for event in session.race(at, [lane(strategies=s) for s in ("minimal", "rewrite", "defensive")]):
            if isinstance(event, LaneTold) and isinstance(event.event, CallFinished):
                seen += 1
                if seen == int(calls):
                    os.write(1, b"here\\n")
                    sys.stdin.read()

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.deep
@pytest.mark.parametrize("calls", [1, 5])
async def test_a_killed_race_pays_for_nothing_twice(workbench: Workbench, tmp_path: Path, calls: int) -> None:
    session_id, at = await started(workbench, model(tmp_path))
    await killed_at_here(_CHILD, str(workbench.store.home), session_id, at, str(calls))
    async with workbench.open_session(session_id) as session:
        before = len(await session.calls())
        ended, told = await finished(session.resume())
        assert len(await session.calls()) == before + paid(told) == 4, "one diagnosis before, three repairs"
        assert ended.spent["calls"] == 3 and ended.spent["cost_usd"] == 1.5
        timeline = await session.timeline()
        assert set(timeline.branches) == {"main", "race-minimal", "race-rewrite", "race-defensive"}
        assert sum(len(children) > 1 for children in timeline.children.values()) == 1
        assert ended.lanes[0].branch == "race-rewrite"


async def test_a_lane_may_have_prompts_of_its_own(workbench: Workbench, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    prompt = (Path(__file__).parents[2] / "prompts" / "repairer.yaml").read_text("utf-8")
    (own / "repairer.yaml").write_text(prompt.replace("system: |", "system: |\n  Speak like a pirate.", 1), "utf-8")
    session_id, at = await started(workbench, model(tmp_path))
    async with workbench.open_session(session_id) as session:
        lanes = [lane(strategies="rewrite"), lane(strategies="rewrite", prompts=str(own))]
        ended, _ = await finished(session.race(at, lanes))
        asked = [call["prompt"] for call in await session.calls() if call["role"] == "repairer"]
    assert {x.outcome for x in ended.lanes} == {"healed"}
    assert sorted("pirate" in prompt for prompt in asked) == [False, True]


async def test_a_renamed_lane_is_not_begun_again(workbench: Workbench, tmp_path: Path) -> None:
    session_id, at = await started(workbench, model(tmp_path))
    async with workbench.open_session(session_id) as session:
        await finished(session.race(at, [lane(strategies="minimal"), lane(strategies="rewrite")]))
        await session.branches.rename("race-rewrite", "fresh")
        await session.branches.delete("race-minimal")
        again, told = await finished(session.resume())
        assert [x.branch for x in again.lanes] == ["fresh"] and {x.branch for x in told if isinstance(x, LaneTold)} == {
            "fresh"
        }


async def test_a_race_of_which_a_lane_is_gone_is_undone(workbench: Workbench, tmp_path: Path) -> None:
    session_id, at = await started(workbench, model(tmp_path))
    async with workbench.open_session(session_id) as session:
        ended, _ = await finished(session.race(at, [lane(strategies="minimal"), lane(strategies="rewrite")]))
        gone, left = (x.branch for x in ended.lanes)
        await session.branches.delete(gone)
        await session.branches.purge()
    async with workbench.open_session(session_id) as session:
        assert await session.branches.race() is not None
        await session.branches.undo()
        timeline = await session.timeline()
        assert await session.branches.race() is None and timeline.stands == "main"
        assert timeline.branches[left].hidden == "undone" and gone not in timeline.branches
        await drain(session.fork(at, {}, gone, run=False))
        assert not (await session.timeline()).branches[gone].hidden, "what had this name was another one"


async def test_a_race_of_which_no_lane_is_left_is_nothing_to_go_on_with(workbench: Workbench, tmp_path: Path) -> None:
    session_id, at = await started(workbench, model(tmp_path))
    async with workbench.open_session(session_id) as session:
        await drain(session.fork(at, {}, "mine", run=False))
        start = await session.head("mine")
        assert start is not None
        ended, _ = await finished(session.race(start, [lane(strategies="minimal"), lane(strategies="rewrite")]))
        for branch in (*(x.branch for x in ended.lanes), "mine"):
            await session.branches.delete(branch)
        assert await session.raced() is None
    async with workbench.open_session(session_id) as session:
        assert list((await session.timeline()).branches) == ["main"], "the moment at which it began is gone as well"
        assert (await to_review(session.resume())).branch == "main"


def test_a_line_of_lanes_is_read() -> None:
    text = (
        "strategies=minimal,rewrite | model=ollama:q:8b model=debugger=search afresh=yes\nfeedback=a b|all max_calls=3"
    )
    lanes = [
        {"strategies": "minimal,rewrite"},
        {"model": {"*": "ollama:q:8b", "debugger": "search"}, "afresh": "yes"},
        {"feedback": "a b"},
    ]
    assert parse_race(text) == (lanes, {"max_calls": "3"})
    with pytest.raises(InputError, match="cannot set 'minimal'"):
        parse_lane("minimal")


def test_a_resumed_race_counts_what_its_lanes_have_used() -> None:
    before = {**no_spend(), "calls": 7, "cost_usd": 1.0}
    limits: Any = {"max_iterations": 1, "max_calls": 2, "max_tokens": None, "max_cost_usd": None, "max_time_s": None}
    pool = RaceBudget(limits, {"a": before, "b": before})  # type: ignore[dict-item]
    pool.begin("a", {**before, "calls": 8}, no_spend())  # type: ignore[typeddict-item]
    assert pool.used_up() == ""
    pool.begin("b", before, spend_of(Usage(1, 1, 0.1)))  # type: ignore[arg-type]
    assert pool.used_up().startswith("All lanes together: The budget of 2 calls")
    pool.worked("a", {**before, "time_s": 9.0})  # type: ignore[typeddict-item]
    assert (pool.spent["calls"], pool.spent["time_s"]) == (2, 9.0)


def test_a_search_of_a_lane_has_half_of_its_share_of_the_time_and_later_never_more() -> None:
    now = 100.0
    limits: Any = {"max_iterations": 1, "max_calls": None, "max_tokens": None, "max_cost_usd": None, "max_time_s": 60}
    pool = RaceBudget(limits, {"a": no_spend(), "b": no_spend()}, lambda: now)
    for branch in "ab":
        pool.begin(branch, no_spend(), no_spend())
        pool.runs(branch)
    purse = Purse(pool)
    assert (pool.left_s(), purse.search_s()) == (60, 15)
    now = 120.0
    assert (pool.left_s(), purse.search_s()) == (20, 5)
    pool.worked("a", {**no_spend(), "time_s": 18.0})
    assert pool.left_s() == 22, "what is saved counts, and what has passed since"
    assert pool.rests("b") == 20
    assert (pool.left_s(), purse.search_s()) == (42, 5), "a lane that is alone searches no second time"
    assert Purse().search_s() is None
