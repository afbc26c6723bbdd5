"""Every field at every kind of moment: a fork goes on as the table says, or is refused with a sentence."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from selfheal_tui.engine.loop.graph import NODES
from selfheal_tui.engine.moment.review import approve
from selfheal_tui.engine.moment.timeline import Checkpoint
from selfheal_tui.engine.session.continuation import FIELDS, continuation, own_node
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import load_task
from selfheal_tui.errors import InputError, SettingsError

from .driving import BUGGY, DIAGNOSIS, FIXED, drain, options, repair_reply, script, shop_task, to_review

VALUES: dict[str, Any] = {
    "code": {"shop.py": FIXED},
    "diagnosis": DIAGNOSIS,
    "place": "1",
    "avoid": "data",
    "group": "1",
    "take_in": "test_shop.py::test_net",
    "feedback": "look at line 6",
    "wrong": "total([4], 1) should be 3",
    "spec": "The total less the discount.",
    "tests": {"test_shop.py": "def test_it():\n    assert True\n"},
    "drop": "test_shop.py::test_discount",
    "pin": "test_shop.py::test_discount",
    "unpin": "test_shop.py::test_discount",
    "lessons": ["Look at the signs."],
    "revoke": "rule 1",
    "afresh": "yes",
    "model": "search",
    "autonomy": "full_auto",
    "max_iterations": 7,
    "max_tokens": 900,
    "max_cost_usd": 1.5,
    "max_time_s": 60,
    "max_calls": 9,
    "strategies": "minimal,rewrite",
    "min_confidence": 0.5,
    "debug_steps": 2,
    "near_miss_s": 1,
    "repair_format": "edits",
    "adversary": "off",
    "critic": "off",
    "oracle_calls": 5,
    "advisors": "quality",
    "effort": "low",
}
ENTERS = {
    "code": "learn",
    "diagnosis": "review_diagnosis",
    **dict.fromkeys(("avoid", "feedback", "spec"), "run_suite"),
}
"""Field -> the node that it goes on after, wherever it is set."""


class Moments(NamedTuple):
    """A finished session, and one checkpoint after each node that ran in it."""

    session: Session
    by_node: dict[str, Checkpoint]


@pytest.fixture
async def moments(workbench: Workbench, tmp_path: Path) -> AsyncIterator[Moments]:
    """Fail once, be rejected once by the policy, heal; every node of the repair loop leaves a checkpoint."""
    name = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "when": "It mended no case", "reply": repair_reply(FIXED)},
        {"role": "repairer", "reply": repair_reply(BUGGY.replace("amount = 0", "amount = 0.0"))},
        {"role": "critic", "error": "not today"},
    )
    session_id = await workbench.create(shop_task(), options(name, "full_auto", 3))
    async with workbench.open_session(session_id) as session:
        await drain(session.resume())
        by_node = {checkpoint.node: checkpoint for checkpoint in await session.timeline()}
        yield Moments(session, by_node)


async def test_each_field_at_each_node_goes_on_as_the_table_says_or_is_refused(moments: Moments) -> None:
    session, by_node = moments
    assert {"start", "run_suite", "diagnose", "review_diagnosis", "plan", "propose", "rank", "review_repair"} <= set(
        by_node
    )
    nodes = {node.__name__ for node in NODES} | {"__start__"}
    seen: dict[tuple[str, str], str] = {}
    for node, checkpoint in by_node.items():
        snapshot = await session.snapshot(checkpoint.id)
        for field in FIELDS:
            try:
                step = await continuation(session._deps.blobs, snapshot, checkpoint, {field: VALUES[field]})
            except (InputError, SettingsError) as error:
                assert re.match(r"[A-Z'\"a-z].*[.?!]$", error.message), error.message
                seen[node, field] = "refused"
                continue
            assert step is not None
            update, as_node = step
            assert as_node in nodes
            assert update, f"{field} at {node} changes something"
            if field in ENTERS:
                assert as_node == ENTERS[field]
            elif field in ("group", "wrong"):
                assert as_node == "learn", "the suite runs again"
            elif field == "afresh" and checkpoint.next and checkpoint.next[0].startswith("review_"):
                assert as_node != checkpoint.node, "what is asked about is made anew"
            elif node == "plan" and field in ("model", "strategies", "min_confidence"):
                assert as_node == "settle_budget", "the round is planned by it"
            elif field not in ("tests", "drop"):
                assert as_node == own_node(snapshot, checkpoint)
            seen[node, field] = as_node
    ran = {node for node, checkpoint in by_node.items() if (await session.snapshot(checkpoint.id)).report is not None}
    for field, entry in ENTERS.items():
        assert all(seen[node, field] == entry for node in ran), field
        assert all(seen[node, field] == "refused" or field == "code" for node in by_node.keys() - ran), field
    for field in ("model", "autonomy", "max_iterations", "strategies", "lessons"):
        assert {node for (node, f), to in seen.items() if f == field and to == "refused"} <= {
            "critique",
            "review_end",
            "conclude",
        }
    assert {
        to for (_, field), to in seen.items() if field in ("place", "revoke", "unpin", "tests", "drop", "take_in")
    } == {"refused"}, "there is no place of the search, no rule, no pin, no generated test and no case set aside"


@pytest.mark.parametrize(
    "node", ["start", "run_suite", "diagnose", "review_diagnosis", "plan", "propose", "rank", "learn"]
)
async def test_a_fork_at_each_node_really_runs(moments: Moments, node: str) -> None:
    session, by_node = moments
    paid = len(await session.calls())
    again = (await drain(session.fork(by_node[node].id, {}, f"again at {node}")))[-1]
    assert again.snapshot.outcome == "healed"  # type: ignore[union-attr]
    assert len(await session.calls()) == paid, "a replay pays for nothing"
    told = (await drain(session.fork(by_node[node].id, {"critic": "off", "max_iterations": 5}, f"set at {node}")))[-1]
    assert told.snapshot.outcome == "healed"  # type: ignore[union-attr]
    assert told.snapshot.limits["max_iterations"] == 5  # type: ignore[union-attr]


async def test_settings_that_are_set_together_all_hold(moments: Moments) -> None:
    session, by_node = moments
    changes = {
        "strategies": "rewrite",
        "critic": "off",
        "lessons": "off",
        "debug_steps": "0",
        "near_miss_s": "0",
        "max_iterations": "5",
        "max_calls": "9",
        "max_time_s": "60",
    }
    events = await drain(session.fork(by_node["run_suite"].id, changes, "together", run=False))
    snapshot = events[-1].snapshot  # type: ignore[union-attr]
    policy = {name: snapshot.policy[name] for name in ("strategies", "critic", "lessons", "debug_steps", "near_miss_s")}
    assert policy == {
        "strategies": ["rewrite"],
        "critic": "off",
        "lessons": False,
        "debug_steps": 0,
        "near_miss_s": 0.0,
    }
    assert [snapshot.limits[name] for name in ("max_iterations", "max_calls", "max_time_s")] == [5, 9, 60.0]


async def test_tests_and_code_are_written_afresh(workbench: Workbench, tmp_path: Path) -> None:
    tests = "from solution import total\n\n\ndef test_sum():\n    assert total([1, 2], 0) == 3\n"
    name = script(
        tmp_path / "m.yaml",
        {"role": "spec_tester", "reply": {"tests": tests}},
        {"role": "generator", "reply": {"code": FIXED}},
    )
    task = load_task([], [], "Write total(prices, discount).", [])
    session_id = await workbench.create(task, options(name, "review_all"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.kind == "tests"
        again = await to_review(session.fork(asked.checkpoint_id, {"afresh": "yes"}))
        assert (again.kind, again.branch) == ("tests", "afresh-1")
        code = await to_review(session.decide(asked.checkpoint_id, approve()))
        assert code.kind == "code"
        again = await to_review(session.fork(code.checkpoint_id, {"afresh": "yes"}))
        assert (again.kind, again.branch) == ("code", "afresh-2")
        roles = [call["role"] for call in await session.calls()]
    assert roles.count("spec_tester") == roles.count("generator") == 2


async def test_words_typed_for_a_field_are_understood_or_refused(moments: Moments) -> None:
    session, by_node = moments
    at = by_node["diagnose"]
    snapshot = await session.snapshot(at.id)

    async def update(**changes: Any) -> Any:
        step = await continuation(session._deps.blobs, snapshot, at, changes)
        assert step is not None
        return step[0]

    assert (await update(lessons="- Mind the ends\n- and the signs"))["lessons"] == ["Mind the ends", "and the signs"]
    for off in ("off", False):
        told = await update(lessons=off)
        assert "lessons" not in told and told["policy"]["lessons"] is False, "those of other sessions, not one `off`"
    assert "afresh" in await update(afresh="Yes") and "afresh" not in await update(afresh="no")
    with pytest.raises(InputError, match="afresh cannot be 'nope'"):
        await update(afresh="nope")
    with pytest.raises(InputError, match="no JSON object"):
        await update(diagnosis="the sign is wrong")
    assert len(set(FIELDS)) == len(FIELDS)
