"""Each moment knows the model calls that its node made: what was asked, what came back, what it cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.engine.history.calls import MomentCall, calls_at, calls_until
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import CallFinished
from selfheal_tui.engine.moment.state import default_policy
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import RunOptions, Workbench, default_limits

from .driving import (
    ANSWERS,
    BUGGY,
    DIAGNOSIS,
    USAGE,
    drain,
    options,
    repair_reply,
    script,
    shop_task,
    to_end,
    to_failure,
    to_repair,
    to_review,
)


async def by_node(session: Session, branch: str = "main") -> dict[str, list[MomentCall]]:
    """Return node -> calls of the moments of a branch that have any."""
    found: dict[str, list[MomentCall]] = {}
    for checkpoint in await session.timeline():
        if checkpoint.branch == branch and (calls := await calls_at(session, checkpoint.id)):
            found.setdefault(checkpoint.node, []).extend(calls)
    return found


async def test_a_moment_has_the_calls_of_its_node(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "m.yaml", *ANSWERS)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        ended = await to_end(session.decide(asked.checkpoint_id, review.approve()))
        found = await by_node(session)
        until = await calls_until(session, ended.snapshot.checkpoint_id)
    assert set(found) == {"diagnose", "propose"}
    (first,), (second,) = found["diagnose"], found["propose"]
    assert [first, second] == until
    assert (first.role, first.node, first.branch, first.replayed) == ("debugger", "diagnose", "main", False)
    assert (
        first.reply["cause"] == DIAGNOSIS["cause"]
        and "amount + discount" in first.prompt
        and first.prompt.startswith("You ")
    )
    assert (first.input_tokens, first.output_tokens, first.cost_usd) == (10, 5, 0.01)
    assert first.prompt_name == "debugger" and first.prompt_version >= 1 and len(first.prompt_sha256) == 64
    assert second.role == "repairer" and second.model.startswith("scripted:") and second.degraded == ""


async def test_strategies_side_by_side_are_calls_of_one_moment(workbench: Workbench, tmp_path: Path) -> None:
    policy = {**default_policy(), "strategies": ["minimal", "rewrite"]}
    model = script(tmp_path / "m.yaml", *ANSWERS)
    chosen = RunOptions("full_auto", {"*": model}, default_limits(), policy)  # type: ignore[arg-type]
    session_id = await workbench.create(shop_task(), chosen)
    async with workbench.open_session(session_id) as session:
        await to_end(session.resume())
        found = await by_node(session)
    assert [call.role for call in found["propose"]] == ["repairer", "repairer"]
    assert len({call.checkpoint_id for call in found["propose"]}) == 1
    assert len({call.prompt for call in found["propose"]}) == 2


async def test_a_replay_is_a_call_of_the_branch_that_replays(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "m.yaml", *ANSWERS), "full_auto"))
    async with workbench.open_session(session_id) as session:
        await to_end(session.resume())
        before = await by_node(session)
        ran = next(c.id for c in await session.timeline() if c.node == "run_suite")
        await to_end(session.fork(ran, {}, "again"))
        assert await by_node(session) == before
        again = await by_node(session, "again")
        rows = await session.usage()
    assert [(c.replayed, c.time_s, c.input_tokens) for calls in again.values() for c in calls] == [(True, 0.0, 10)] * 2
    assert set(again) == {"diagnose", "propose"}
    told = {(row["branch"], row["role"]): (row["calls"], row["replayed_calls"]) for row in rows if row["role"]}
    assert told == {
        ("main", "debugger"): (1, 0),
        ("main", "repairer"): (1, 0),
        ("again", "debugger"): (0, 1),
        ("again", "repairer"): (0, 1),
    }


async def test_another_answer_leaves_the_old_branch_its_calls(workbench: Workbench, tmp_path: Path) -> None:
    """Both branches run on from one checkpoint: each has the calls it made."""
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "m.yaml", *ANSWERS)))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        await to_review(session.decide(asked.checkpoint_id, review.approve()))
        before = await by_node(session)
        await to_review(session.decide(asked.checkpoint_id, review.reject("No.")))
        assert await by_node(session) == before
        (other,) = (name for name in (await session.timeline()).branches if name != "main")
        later = await by_node(session, other)
        assert [call.role for call in later["diagnose"]] == ["debugger"] and not later["diagnose"][0].replayed
        head = (await session.timeline()).branches[other].head
        assert [call.branch for call in await calls_until(session, head)] == ["main", other]


async def test_a_node_that_runs_again_notes_a_call_once(workbench: Workbench, tmp_path: Path) -> None:
    """The debugger looks, then its model is not there: on resume the look is replayed, and is one call all the same."""
    path, look = tmp_path / "m.yaml", {"thought": "Where is it?", "action": "localise"}
    looking = {"role": "debugger", "when": "(nothing yet)\n", "reply": look, "usage": USAGE}
    model = script(path, {"role": "debugger", "when": "Step 1", "error": "overloaded"}, looking)
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        await to_failure(session.resume())
    script(path, {**ANSWERS[0], "when": "Step 1"}, {"role": "debugger", "error": "must not be asked"})
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        found = await by_node(session)
    assert asked.snapshot.spent["replayed_calls"] == 1
    assert [(call.reply.get("action"), call.replayed) for call in found["diagnose"]] == [
        ("localise", False),
        (None, False),
    ]


async def test_replies_that_nobody_could_read_are_there_too(workbench: Workbench, tmp_path: Path) -> None:
    correction = {"role": "debugger", "when": "could not be used", "reply": DIAGNOSIS, "usage": USAGE}
    unreadable = {"role": "debugger", "reply": "I cannot say.", "usage": USAGE}
    hopeless = {"role": "repairer", "reply": "No idea.", "usage": USAGE}
    model = script(tmp_path / "m.yaml", correction, unreadable, hopeless)
    session_id = await workbench.create(shop_task(), options(model, "full_auto", max_iterations=1))
    async with workbench.open_session(session_id) as session:
        await drain(session.resume())
        found = await by_node(session)
    first, second = found["diagnose"]
    assert first.reply == "I cannot say." and first.degraded.startswith("unreadable: ")
    assert second.reply["cause"] == DIAGNOSIS["cause"] and second.degraded.startswith("asked twice: ")
    assert [call.input_tokens for call in (first, second)] == [10, 10], "each its own bill"
    assert [call.reply for call in found["propose"]] == ["No idea.", "No idea."]
    assert "I cannot say." not in first.prompt and found["propose"][1].prompt.count("No idea.") == 1


async def test_a_replay_of_a_reply_that_was_asked_for_twice_tells_what_both_used(
    workbench: Workbench, tmp_path: Path
) -> None:
    correction = {"role": "debugger", "when": "could not be used", "reply": DIAGNOSIS, "usage": USAGE}
    unreadable = {"role": "debugger", "reply": "I cannot say.", "usage": USAGE}
    session_id = await workbench.create(shop_task(), options(script(tmp_path / "m.yaml", correction, unreadable)))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        ran = next(c.id for c in await session.timeline() if c.node == "run_suite")
        told = [event for event in await drain(session.fork(ran, {})) if isinstance(event, CallFinished)]
    assert asked.snapshot.spent["input_tokens"] == 20
    assert [(event.replayed, event.usage.input_tokens) for event in told] == [(True, 20)]


async def test_calls_follow_their_branch(workbench: Workbench, tmp_path: Path) -> None:
    answers = (ANSWERS[0], {"role": "repairer", "reply": repair_reply(BUGGY.replace("+ d", "* d")), "usage": USAGE})
    chosen = options(script(tmp_path / "m.yaml", *answers), "full_auto", max_iterations=1)
    session_id = await workbench.create(shop_task(), chosen)
    async with workbench.open_session(session_id) as session:
        await drain(session.resume())
        ran = next(c.id for c in await session.timeline() if c.node == "run_suite")
        await drain(session.fork(ran, {"afresh": "yes"}, "other"))
        before = await by_node(session, "other")
        assert before
        await session.branches.rename("other", "third")
        after = await by_node(session, "third")
        assert {node: [c.reply for c in calls] for node, calls in after.items()} == {
            node: [c.reply for c in calls] for node, calls in before.items()
        }
        assert {row["branch"] for row in await session.usage()} == {"main", "third"}
        await session.branches.delete("third")
    async with workbench.open_session(session_id) as session:
        assert {asker.branch for asker in await session.askers()} == {"main"}
        assert {row["branch"] for row in await session.usage()} == {"main", "third"}, "what was paid stays told"


@pytest.mark.parametrize("node", ["start", "run_suite"])
async def test_moments_without_calls_have_none(workbench: Workbench, node: str) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        await to_review(session.resume())
        at = next(c.id for c in await session.timeline() if c.node == node)
        assert await calls_at(session, at) == [] and await calls_until(session, at) == []


async def test_a_branch_named_like_a_deleted_one_adds_to_its_figures(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        await to_review(session.resume())
        session._usage.add("gone", "diagnose", runs=2)
        runs = {row["node"]: row["runs"] for row in await session.usage() if row["branch"] == "main"}
        await session.branches.rename("main", "gone")
        found = {(row["branch"], row["node"]): row["runs"] for row in await session.usage()}
    assert found == {("gone", node): count + 2 * (node == "diagnose") for node, count in runs.items()}
