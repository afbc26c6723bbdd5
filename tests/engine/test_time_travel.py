"""Any moment can be looked at, answered again or forked; nothing that was there changes.

start - run_suite - diagnose - review - plan - propose - rank - review - apply - learn - run_suite   (main)
                                                            `- rank' - review' ...                   (edit-1)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import CheckpointSaved, LaneTold, RunFinished
from selfheal_tui.engine.moment.state import HealState
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import InputError

from .driving import (
    ANSWERS,
    BUGGY,
    DIAGNOSIS,
    FIXED,
    drain,
    options,
    repair_reply,
    script,
    shop_task,
    to_end,
    to_repair,
    to_review,
)


async def healed(session: Session) -> str:
    """Heal; return the checkpoint at which the repair was asked about."""
    asked = await to_repair(session, session.resume())
    await to_end(session.decide(asked.checkpoint_id, review.approve()))
    return asked.checkpoint_id


async def test_another_answer_makes_a_branch_and_is_the_one_used(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        at = await healed(session)
        before = await session.timeline()
        own = FIXED + "\n\nVERSION = 2\n"
        ended = await to_end(session.decide(at, review.edit({"changes": {"shop.py": own}})))
        after = await session.timeline()
    assert ended.snapshot.program == {"shop.py": own} and ended.snapshot.branch == "edit-1"
    assert {c: after.checkpoints[c] for c in before.checkpoints} == dict(before.checkpoints)
    assert after.branches["edit-1"].forked_from == at
    assert after.branches["main"].outcome == after.branches["edit-1"].outcome == "healed"


async def test_the_past_can_be_looked_at(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        events = await drain(session.resume())
        diagnosed = events[-1]
        events += await drain(session.decide(diagnosed.checkpoint_id, review.approve()))  # type: ignore[union-attr]
        end = await to_end(session.decide(events[-1].checkpoint_id, review.approve()))  # type: ignore[union-attr]
        live = {e.checkpoint.id: e.snapshot for e in events if isinstance(e, CheckpointSaved)}
        for checkpoint_id, snapshot in live.items():
            seen = await session.snapshot(checkpoint_id)
            assert (seen.program, seen.report, seen.diagnosis) == (
                snapshot.program,
                snapshot.report,
                snapshot.diagnosis,
            )
        assert end.snapshot.program != next(iter(live.values())).program
        with pytest.raises(InputError, match="no checkpoint"):
            await session.snapshot("nowhere")


async def test_fork_with_own_code_runs_the_suite_over_it(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        ended = await to_end(session.fork(asked.checkpoint_id, {"code": {"shop.py": FIXED}}, "by-hand"))
        assert (ended.snapshot.outcome, ended.snapshot.branch) == ("healed", "by-hand")
        assert (await session.timeline()).branches["main"].outcome == "waiting"
        ended = await to_end(session.decide(asked.checkpoint_id, review.stop()))
        assert (ended.snapshot.program, ended.snapshot.branch) == ({"shop.py": BUGGY}, "main")


@pytest.mark.deep
async def test_fork_with_more_iterations_goes_on_after_the_end(workbench: Workbench, tmp_path: Path) -> None:
    wrong = {"role": "repairer", "reply": repair_reply(BUGGY.replace("+ discount", "* discount"), "Multiply.")}
    right = {**ANSWERS[1], "when": ["Multiply."]}
    model = script(tmp_path / "script.yaml", ANSWERS[0], right, wrong)
    session_id = await workbench.create(shop_task(), options(model, autonomy="full_auto", max_iterations=1))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
        assert ended.snapshot.outcome == "gave_up"
        head = await session.head()
        assert head is not None
        last = (await drain(session.fork(head, {"max_iterations": 3})))[-1]
        assert isinstance(last, RunFinished) and last.snapshot.limits["max_iterations"] == 3
        assert (last.snapshot.outcome, last.snapshot.iteration) == ("healed", 2)
        with pytest.raises(InputError, match="max_iterations cannot be"):
            await drain(session.fork(head, {"max_iterations": "many"}))


async def test_plain_fork_asks_the_question_again(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        at = await healed(session)
        asked = await to_review(session.fork(at, {}, "mine"))
        assert asked.branch == "mine" and asked.checkpoint_id != at
        with pytest.raises(InputError, match="a branch 'mine' already"):
            await drain(session.fork(at, {}, "mine"))
        with pytest.raises(InputError, match="cannot set 'colour'"):
            await drain(session.fork(at, {"colour": 1}))


@pytest.mark.parametrize("verdict", ["reject", "edit"])
async def test_what_the_policy_answered_can_be_answered_by_the_human(workbench: Workbench, verdict: str) -> None:
    session_id = await workbench.create(shop_task(), options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        await to_end(session.resume())
        at = next(c for c in await session.timeline() if c.next == ("review_diagnosis",))
        cause = "The sign of the discount is wrong."
        answer = review.edit(DIAGNOSIS | {"cause": cause}) if verdict == "edit" else review.reject("look at line 6")
        ended = await to_end(session.decide(at.id, answer))
        decided = [c for c in await session.timeline() if c.branch == f"{verdict}-1" and c.decision]
    assert ended.snapshot.branch == f"{verdict}-1"
    assert decided[0].decision is not None and decided[0].node == "review_diagnosis"
    assert (decided[0].decision["verdict"], decided[0].decision["by"]) == (verdict, "human")
    assert ended.snapshot.diagnosis is not None
    assert (ended.snapshot.diagnosis["cause"] == cause) == (verdict == "edit")


@pytest.mark.deep
async def test_human_overrules_full_autonomy(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
        at = next(c for c in await session.timeline() if c.next == ("review_repair",))
        refused = ended.snapshot.records[0]["changes_ref"]
        ended = await to_end(session.decide(at.id, review.reject("not like this")))
        first = ended.snapshot.records[-1]
    assert (first["verdict"], first["by"], first["note"]) == ("reject", "human", "not like this")
    assert refused not in [r["changes_ref"] for r in ended.snapshot.records if r["verdict"] != "reject"]


@pytest.mark.deep
async def test_fork_at_the_very_start_and_without_running(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        await to_end(session.resume())
        root = next(iter(await session.timeline()))
        ended = await to_end(session.fork(root.id, {"max_iterations": 2}, "again"))
        assert (ended.snapshot.outcome, ended.snapshot.limits["max_iterations"]) == ("healed", 2)
        last = (await drain(session.fork(root.id, {}, "later", run=False)))[-1]
        assert isinstance(last, RunFinished)
        assert (await session.timeline()).branches["later"].outcome == "running"
        ended = await to_end(session.resume())
        assert (ended.snapshot.outcome, ended.snapshot.branch) == ("healed", "later")


async def test_each_checkpoint_of_a_branch_is_told_of_once(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        await drain(session.decide(asked.checkpoint_id, review.approve()))
        lanes: list[dict[str, Any]] = [{"feedback": "mind the sign"}, {"autonomy": "full_auto"}]
        for events in (
            session.decide(asked.checkpoint_id, review.approve()),
            session.fork(asked.checkpoint_id, {"feedback": "mind the sign"}),
            session.race(asked.checkpoint_id, lanes),
        ):
            seen = [event.event if isinstance(event, LaneTold) else event for event in await drain(events)]
            told = [event.checkpoint.id for event in seen if isinstance(event, CheckpointSaved)]
            assert told and len(told) == len(set(told))


async def test_the_end_counts_the_repairs_that_were_taken(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
        assert ended.snapshot.reason == "Both cases pass after 1 repair."
        failed = next(checkpoint for checkpoint in await session.timeline() if checkpoint.node == "diagnose")
        own = await to_end(session.fork(failed.id, {"code": {"shop.py": FIXED}}))
        assert own.snapshot.reason == "Both cases pass with the code that was set."
        more = await to_end(session.fork(ended.snapshot.checkpoint_id, {"code": {"shop.py": f"{FIXED}# mine\n"}}))
        assert more.snapshot.reason == "Both cases pass after 1 repair and with the code that was set."


async def test_a_state_read_by_plain_sql_is_the_one_that_langgraph_loads(workbench: Workbench) -> None:
    """store/history.py reads the row itself: once, and without preparing tasks that nobody runs."""
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        await to_end(session.decide(asked.checkpoint_id, review.approve()))
        for checkpoint in await session.timeline():
            values = (await (await session._graph()).aget_state(session._config(checkpoint.id))).values
            loaded = values if "manifest_ref" in values else session._initial
            ours: Any = await session._state_at(checkpoint.id)
            # LangGraph adds an empty value for each field with a reducer that was never written.
            assert {name: value for name, value in loaded.items() if value not in ({}, "") or name in ours} == {
                name: value for name, value in ours.items() if name in HealState.__annotations__
            }
