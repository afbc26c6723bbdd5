"""The edges of the loop: what a stop, an end, a limit or a fork at an unusual moment must not let through."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.loop.nodes.rank import rank
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import CallFinished, ReviewRequested, RunFailed, RunFinished
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import InputError

from .driving import (
    BUGGY,
    DIAGNOSIS,
    FIXED,
    drain,
    killed_at_here,
    options,
    repair_reply,
    script,
    shop_task,
    to_end,
    to_repair,
    to_review,
)
from .moments import open_moment
from .test_loop import DEFENSIVE, MINIMAL, REWRITE, WORSE, repairs, with_policy

NONE = BUGGY.replace("amount + discount", "None")


async def at_node(session: Session, node: str, branch: str = "main") -> str:
    """Return the newest checkpoint of a branch that a node wrote."""
    return [c.id for c in await session.timeline() if c.node == node and c.branch == branch][-1]


@pytest.mark.parametrize("first", ["stop", "nothing"])
async def test_more_room_at_a_budget_question_goes_on(workbench: Workbench, tmp_path: Path, first: str) -> None:
    model = script(tmp_path / "m.yaml", *repairs((MINIMAL, {"reply": repair_reply(FIXED)})))
    given = with_policy(options(model), critic="off")
    given.limits["max_calls"] = 1
    session_id = await workbench.create(shop_task(), given)
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        assert asked.kind == "budget"
        at: str | None = asked.checkpoint_id
        if first == "stop":
            await to_end(session.decide(asked.checkpoint_id, review.stop()))
            at = await session.head()
        assert at
        again = await to_repair(session, session.fork(at, {"max_calls": 9}))
        assert again.kind == "repair" and again.snapshot.budget is None


async def test_fork_at_the_start_of_a_reviewed_fix(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options(autonomy="review_all"))
    async with workbench.open_session(session_id) as session:
        await to_review(session.resume())
        root = next(iter(await session.timeline()))
        again = await to_review(session.fork(root.id, {"max_iterations": 3}, "again"))
    assert again.kind == "diagnosis" and again.snapshot.limits["max_iterations"] == 3


async def test_fork_where_the_human_stopped_takes_nothing_for_approved(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        await to_end(session.decide(asked.checkpoint_id, review.stop()))
        stopped = await at_node(session, "review_repair")
        again = await to_review(session.fork(stopped, {"max_iterations": 9}))
        assert again.kind == "diagnosis" and again.snapshot.program["shop.py"] == BUGGY


async def test_fork_at_an_approved_end_has_nothing_to_go_on_with(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(source=FIXED), options())
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
        assert (ended.snapshot.outcome, ended.snapshot.iteration) == ("nothing_to_heal", 0)
        with pytest.raises(InputError, match="Every case passes"):
            await drain(session.fork(await at_node(session, "review_end"), {"max_iterations": 9}))


async def test_an_end_rejected_at_the_last_iteration_ends(workbench: Workbench, tmp_path: Path) -> None:
    model = script(tmp_path / "m.yaml", *repairs((MINIMAL, {"reply": repair_reply(FIXED)})))
    given = with_policy(options(model, "review_all", 1), critic="off")
    session_id = await workbench.create(shop_task(), given)
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        assert asked.kind == "end"
        ended = await to_end(session.decide(asked.checkpoint_id, review.reject("negative discounts?")))
        assert (ended.snapshot.outcome, ended.snapshot.iteration) == ("gave_up", 1)
        assert ended.snapshot.program["shop.py"] == FIXED
        on = await to_end(session.fork(ended.snapshot.checkpoint_id, {"code": {"shop.py": BUGGY}}))
        assert (on.snapshot.outcome, on.snapshot.iteration) == ("gave_up", 1)


@pytest.mark.parametrize("field", ["feedback", "diagnosis", "autonomy"])
async def test_no_fork_goes_beyond_the_iterations(workbench: Workbench, tmp_path: Path, field: str) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "when": "amount - discount - 1", "reply": repair_reply(NONE)},
        {"role": "repairer", "reply": repair_reply(WORSE)},
    )
    session_id = await workbench.create(shop_task(), with_policy(options(model, max_iterations=1)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        ended = await to_end(session.decide(asked.checkpoint_id, review.approve()))
        assert ended.snapshot.outcome == "gave_up"
        value: Any = {"feedback": "again", "diagnosis": DIAGNOSIS, "autonomy": "full_auto"}[field]
        ended = await to_end(session.fork(ended.snapshot.checkpoint_id, {field: value}))
        assert (ended.snapshot.outcome, ended.snapshot.iteration) == ("gave_up", 1)
        assert "iteration" in ended.snapshot.reason


async def test_a_rejected_end_was_the_best_program(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "when": "negative discounts?", "reply": repair_reply(NONE)},
        {"role": "repairer", "reply": repair_reply(FIXED)},
    )
    given = with_policy(options(model, "review_all", 2), critic="off")
    session_id = await workbench.create(shop_task(), given)
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        assert asked.kind == "end"
        asked = await to_repair(session, session.decide(asked.checkpoint_id, review.reject("negative discounts?")))
        ended = await to_end(session.decide(asked.checkpoint_id, review.approve()))
    assert ended.snapshot.outcome == "gave_up" and ended.snapshot.program["shop.py"] == FIXED


async def test_tests_that_were_never_written_cannot_be_answered(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "adversary", "error": "overloaded"},
        *repairs((MINIMAL, {"reply": repair_reply(FIXED)})),
    )
    given = with_policy(options(model), adversary="on", critic="off")
    session_id = await workbench.create(shop_task(), given)
    async with workbench.open_session(session_id) as session:
        await to_review(session.resume())
        at = next(c.id for c in await session.timeline() if c.next == ("review_tests",))
        with pytest.raises(InputError, match="No question"):
            await drain(session.decide(at, review.reject("write some")))


async def test_a_failure_on_another_branch_is_none_of_this_round(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    good = {"reply": repair_reply(FIXED), "delay_s": 0.01}
    model = script(path, *repairs((MINIMAL, {"error": "overloaded"}), (REWRITE, good)))
    given = with_policy(options(model), strategies=["minimal", "rewrite"])
    session_id = await workbench.create(shop_task(), given)
    async with workbench.open_session(session_id) as session:
        await to_repair(session, session.resume())
        script(path, *repairs((MINIMAL, good), (REWRITE, {"error": "overloaded"})))
        session._deps.providers.clear()
        again = await to_review(session.fork(await at_node(session, "plan"), {"afresh": True}))
    assert [r["strategy"] for r in again.snapshot.candidates.values()] == ["minimal"]


@pytest.mark.deep
@pytest.mark.parametrize("how", ["cancel"])
async def test_a_pause_among_strategies_asks_only_the_unfinished(
    workbench: Workbench, tmp_path: Path, how: str
) -> None:
    model = script(
        tmp_path / "m.yaml",
        *repairs(
            (MINIMAL, {"reply": repair_reply(WORSE, "One less.")}),
            (REWRITE, {"error": "overloaded"}),
            (DEFENSIVE, {"reply": repair_reply(FIXED), "delay_s": 0.3}),
        ),
    )
    given = with_policy(options(model), strategies=["minimal", "rewrite", "defensive"])
    session_id = await workbench.create(shop_task(), given)
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        calls: list[str] = []

        async def until_cancelled() -> None:
            async for event in session.decide(asked.checkpoint_id, review.approve()):
                calls.append(event.role) if isinstance(event, CallFinished) and not event.replayed else None
                print(type(event).__name__)

        running = asyncio.create_task(until_cancelled())
        await asyncio.sleep(3)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        plan = [c for c in await session.timeline()][-1]
        assert plan.next == ("propose",) and plan.pending is None
        assert (await session.timeline()).branches["main"].outcome == "running"
        forked = await to_review(session.fork(plan.id, {"max_iterations": 5}, "beside"))
        assert forked.snapshot.limits["max_iterations"] == 5 and len(forked.snapshot.candidates) == 2


_CHILD = """
import asyncio, sys
from pathlib import Path
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import CandidateRehearsed
from selfheal_tui.engine.session.workbench import Workbench

async def main(home, session_id, at):
    async with Workbench(Path(home)).open_session(session_id) as session:
        async for event in session.decide(at, review.approve()):
            if isinstance(event, CandidateRehearsed):
                await asyncio.sleep(0.5)
                print("here", flush=True)
                sys.stdin.readline()

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.deep
async def test_killed_among_strategies_only_the_unfinished_run_again(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    slow = {"reply": repair_reply(FIXED), "delay_s": 5.0}
    model = script(
        path,
        *repairs(
            (MINIMAL, {"reply": repair_reply(WORSE, "One less.")}), (REWRITE, {"reply": "no JSON"}), (DEFENSIVE, slow)
        ),
    )
    given = with_policy(options(model), strategies=["minimal", "rewrite", "defensive"])
    session_id = await workbench.create(shop_task(), given)
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
    await killed_at_here(_CHILD, str(workbench.store.home), session_id, asked.checkpoint_id)
    script(path, *repairs((DEFENSIVE, {"reply": repair_reply(FIXED)})))
    async with workbench.open_session(session_id) as session:
        waiting = [c for c in await session.timeline()][-1]
        assert waiting.next == ("propose",) and waiting.pending is None
        events = await drain(session.resume())
        asked_again = [(e.role, e.replayed) for e in events if isinstance(e, CallFinished)]
        last = events[-1]
        timeline = await session.timeline()
    assert isinstance(last, ReviewRequested) and asked_again == [("repairer", False)]
    assert [r["strategy"] for r in last.snapshot.candidates.values()] == ["defensive", "minimal"]
    assert all("same_as" not in r for r in last.snapshot.candidates.values())
    assert set(last.snapshot.failures) == {"rewrite"} and last.snapshot.spent["calls"] == 5
    assert all(len(children) == 1 for children in timeline.children.values())


async def test_the_same_program_twice_in_a_round_is_no_repetition(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        *repairs(
            (DEFENSIVE, {"reply": repair_reply(FIXED), "delay_s": 0.2}), (MINIMAL, {"reply": repair_reply(FIXED)})
        ),
    )
    given = with_policy(options(model), strategies=["minimal", "defensive"])
    session_id = await workbench.create(shop_task(), given)
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        assert [r.get("same_as") for r in asked.snapshot.candidates.values()] == [None]
        again = await to_repair(session, session.fork(await at_node(session, "plan"), {}, "beside"))
        assert [r.get("same_as") for r in again.snapshot.candidates.values()] == ["iteration 1 on main"]


@pytest.mark.parametrize("field", ["model", "feedback", "diagnosis", "code", "afresh", ""])
async def test_fork_at_every_checkpoint(workbench: Workbench, tmp_path: Path, field: str) -> None:
    """Wherever a run is forked, it goes on to a question or an end, judged by what it is and not what it was."""
    model = script(
        tmp_path / "m.yaml",
        *repairs((MINIMAL, {"reply": repair_reply(WORSE, "One less.")}), (REWRITE, {"reply": repair_reply(FIXED)})),
    )
    given = with_policy(options(model), strategies=["minimal", "rewrite"], critic="off")
    session_id = await workbench.create(shop_task(), given)
    value: Any = {"model": model, "feedback": "hm", "diagnosis": DIAGNOSIS, "code": {"shop.py": NONE}, "afresh": True}
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        await to_end(session.decide(asked.checkpoint_id, review.approve()))
        for checkpoint in list(await session.timeline()):
            try:
                last = (await drain(session.fork(checkpoint.id, {field: value[field]} if field else {})))[-1]
            except InputError:
                continue
            assert isinstance(last, ReviewRequested | RunFinished), (checkpoint.node, checkpoint.next, last)
            if isinstance(last, ReviewRequested):
                assert last.kind in ("diagnosis", "repair"), (checkpoint.node, last.kind)
                assert bool(last.snapshot.candidates) == (last.kind == "repair")
                assert all(r["diff"] for r in last.snapshot.candidates.values())
            else:
                assert last.snapshot.outcome == "healed" and field in ("model", "afresh", "")


async def test_what_was_refused_long_ago_does_not_come_back(workbench: Workbench) -> None:
    async with open_moment(workbench, shop_task(), options("search")) as moment:
        blobs, head = moment.deps.blobs, ""
        for number in range(60):
            record = {"prev": head, "iteration": number, "keys": [f"key {number}"], "verdict": "reject"}
            head = await blobs.put(record)
        known = await blobs.put({"key": "key 0", "summary": "Again."})
        update = await moment.after(rank, head=head, round=["minimal"], proposed={"minimal": known})
    assert not update["candidates"] and "Again. (iteration 1 on this branch)" in update["repeated"]


async def test_a_package_that_is_not_installed_is_not_searched_for(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(f"import sixty_six\n\n\n{BUGGY}"), options())
    async with workbench.open_session(session_id) as session:
        ended = (await drain(session.resume()))[-1]
    assert isinstance(ended, RunFailed) and ended.error.exit_code == 2
    assert ended.error.message.startswith("`sixty_six` is not installed for the interpreter that runs the tests:")
    assert "--python" in ended.error.message
