"""Money is a promise: what is not paid for any more is not started, and what cannot be counted is said beforehand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import (
    CandidateRehearsed,
    Event,
    Noticed,
    ReviewRequested,
    RunFinished,
    StrategyEnded,
    TokenStreamed,
)
from selfheal_tui.engine.moment.state import default_policy
from selfheal_tui.engine.session.workbench import RunOptions, Workbench
from selfheal_tui.engine.task.task import load_task
from selfheal_tui.errors import SettingsError
from selfheal_tui.llm.time_limits import TimeLimits
from tests.wire.rig import KEY, clean
from tests.wire.script import Script
from tests.wire.server import WireServer

from .driving import DIAGNOSIS, FIXED, drain, options, repair_reply, script, shop_task, to_end, to_repair, to_review

MODEL = "anthropic:tiny"
PRICES = {MODEL: "2/10"}
USED = {"input_tokens": 300, "output_tokens": 600}
CALL_USD = (300 * 2 + 600 * 10) / 1e6
WRONG = FIXED.replace("amount - discount", "amount - discount - 1")
REPLIES = (
    {"role": "debugger", "reply": DIAGNOSIS, "usage": USED},
    {"role": "repairer", "reply": repair_reply(WRONG), "usage": USED, "delay_s": 0.001},
)


@asynccontextmanager
async def served(monkeypatch: pytest.MonkeyPatch, *entries: dict[str, Any], **script: Any) -> AsyncIterator[WireServer]:
    clean(monkeypatch)
    async with WireServer(Script.of(*(entries or REPLIES), **script)) as server:
        for name, value in server.environment(KEY).items():
            monkeypatch.setenv(name, value)
        yield server


@pytest.fixture
def bench(workbench: Workbench) -> Workbench:
    """The workbench of somebody who has told the model's price."""
    workbench._prices = PRICES
    return workbench


def side_by_side(model: str = MODEL, *, iterations: int = 1, **limits: Any) -> RunOptions:
    given = options(model, "full_auto", iterations)
    policy = {**given.policy, "critic": "off", "strategies": ["minimal", "rewrite", "defensive"], "near_miss_s": 0.0}
    return replace(given, policy=cast(Any, policy), limits={**given.limits, **limits})


async def run(bench: Workbench, given: RunOptions) -> list[Event]:
    session_id = await bench.create(shop_task(), given)
    async with bench.open_session(session_id) as session:
        return await drain(session.resume())


@pytest.mark.parametrize(
    ("limits", "calls"),
    [
        ({"max_calls": 2}, 2),
        ({"max_calls": 3}, 3),
        ({"max_tokens": 1000}, 2),
        ({"max_cost_usd": 1.5 * CALL_USD}, 2),
        ({"max_time_s": 0.001}, 0),
        ({}, 4),
    ],
)
async def test_a_round_makes_only_the_calls_that_its_budget_pays_for(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, limits: dict[str, Any], calls: int
) -> None:
    async with served(monkeypatch) as server:
        events = await run(bench, side_by_side(**limits))
        assert len(server.chats) == calls
    last = events[-1]
    assert isinstance(last, RunFinished) and last.snapshot.spent["calls"] == calls
    told = {event.strategy: event.why for event in events if isinstance(event, StrategyEnded)}
    if 1 < calls < 4:
        assert set(told) == {"rewrite", "defensive"} if calls == 2 else len(told) == 1
        assert all("The repairer was not asked. The budget of" in why for why in told.values())
        assert dict(last.snapshot.failures) == told


@pytest.mark.deep
async def test_the_time_that_a_strategy_waits_is_not_counted_twice(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = {**REPLIES[1], "pings": 1, "delay_s": 0.6, "piece": 100_000}
    async with served(monkeypatch, REPLIES[0], slow):
        alone = (await run(bench, side_by_side()))[-1]
        in_turn = (await run(bench, side_by_side(max_tokens=30_000)))[-1]
    assert isinstance(alone, RunFinished) and isinstance(in_turn, RunFinished)
    assert alone.snapshot.spent["calls"] == in_turn.snapshot.spent["calls"] == 4
    assert in_turn.snapshot.spent["time_s"] < alone.snapshot.spent["time_s"] + 3.0, "the waits would be 3.6 s more"


@pytest.mark.deep
async def test_a_round_that_was_cut_off_counts_what_its_finished_strategies_have_used(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = {**REPLIES[1], "piece": 4, "delay_s": 0.02, "when": "Write the faulty function anew"}
    session_id = await bench.create(shop_task(), side_by_side(max_calls=3))
    async with served(monkeypatch, slow, *REPLIES):
        async with bench.open_session(session_id) as session:
            events = session.resume()
            pieces = -10_000
            async for event in events:
                pieces = 0 if isinstance(event, CandidateRehearsed) else pieces + isinstance(event, TokenStreamed)
                if pieces == 5:
                    break
            await events.aclose()
        async with bench.open_session(session_id) as session:
            last = (await drain(session.resume()))[-1]
    assert isinstance(last, RunFinished) and last.snapshot.spent["calls"] == 3
    assert set(last.snapshot.failures) == {"defensive"}


async def test_the_lanes_of_a_race_share_what_is_there(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch) as server:
        session_id = await bench.create(shop_task(), options())
        async with bench.open_session(session_id) as session:
            asked = await to_review(session.resume())
            start = next(c.id for c in await session.timeline() if c.node == "run_suite")
            quiet = {"critic": "off", "debug_steps": "0", "autonomy": "full_auto", "afresh": "yes", "model": MODEL}
            await drain(session.race(start, [quiet] * 3, {"max_cost_usd": 1.5 * CALL_USD}))
        assert asked and len(server.chats) == 2


async def test_what_is_optional_leaves_room_for_what_is_needed(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = {"role": "adversary", "fault": 500}
    async with served(monkeypatch, never, REPLIES[0], {**REPLIES[1], "reply": repair_reply(FIXED)}) as server:
        given = side_by_side(max_calls=2)
        policy = cast(Any, {**given.policy, "adversary": "on", "strategies": ["minimal"]})
        events = await run(bench, replace(given, policy=policy))
        assert [chat.role for chat in server.chats] == ["debugger", "repairer"], "no step of the debugger either"
    assert isinstance(events[-1], RunFinished) and events[-1].snapshot.outcome == "healed"
    assert any(isinstance(event, Noticed) and "No adversarial tests." in event.text for event in events)


async def test_a_spec_that_the_budget_cannot_pay_for_ends_with_the_reason(workbench: Workbench, tmp_path: Path) -> None:
    tests = {"role": "spec_tester", "reply": {"tests": "def test_one():\n    assert total([1], 0) == 1\n"}}
    model = script(tmp_path / "m.yaml", tests, {"role": "generator", "reply": {"code": FIXED}})
    given = options(model, "review_all")
    given = replace(given, limits={**given.limits, "max_calls": 1})
    for spec, outcome in (("Write total(prices, discount).", "budget"), ("total([1], 0) == 1", "healed")):
        session_id = await workbench.create(load_task([], [], spec, []), given)
        async with workbench.open_session(session_id) as session:
            last = (await drain(session.resume()))[-1]
            while isinstance(last, ReviewRequested):
                last = (await drain(session.decide(last.checkpoint_id, review.approve())))[-1]
        assert isinstance(last, RunFinished) and last.snapshot.outcome == outcome
        assert last.snapshot.spent["calls"] == 1
    assert "The generator was not asked" not in last.snapshot.reason


# what nobody knows the price of


async def test_an_unknown_price_is_said_before_there_is_a_session(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(monkeypatch) as server:
        for model in ("openai:gpt-5", MODEL):
            with pytest.raises(SettingsError, match=f"The price of {model} is not known, so a budget in dollars"):
                await workbench.create(shop_task(), side_by_side(model, max_cost_usd=1.0))
        assert not server.chats and workbench.list_sessions() == []


async def test_another_server_has_not_the_prices_of_the_vendor(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(monkeypatch):
        last = (await run(workbench, side_by_side("openai:gpt-5")))[-1]
    assert isinstance(last, RunFinished) and last.snapshot.spent["cost_usd"] is None


async def test_a_fork_to_a_model_of_unknown_price_is_refused_and_leaves_nothing(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = script(tmp_path / "m.yaml", {"role": "debugger", "reply": DIAGNOSIS})
    given = options(known)
    session_id = await workbench.create(shop_task(), replace(given, limits={**given.limits, "max_cost_usd": 1.0}))
    async with served(monkeypatch) as server, workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        before = await session.timeline()
        with pytest.raises(SettingsError, match="not known"):
            await drain(session.fork(asked.checkpoint_id, {"model": MODEL}))
        with pytest.raises(SettingsError, match="not known"):
            await drain(session.race(asked.checkpoint_id, [{"model": MODEL}, {}]))
        assert await session.timeline() == before and not server.chats


async def test_a_price_that_has_gone_is_asked_about_before_the_first_call(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(monkeypatch) as server:
        given = side_by_side(max_cost_usd=1.0)
        session_id = await bench.create(shop_task(), replace(given, autonomy="review_repairs"))
        bench._prices = {}
        async with bench.open_session(session_id) as session:
            asked = await to_review(session.resume())
            assert asked.kind == "budget" and not server.chats
            with pytest.raises(SettingsError, match="not known"):
                await drain(session.decide(asked.checkpoint_id, review.edit({"max_cost_usd": 2.0})))
            again = await to_repair(session, session.decide(asked.checkpoint_id, review.approve()))
            assert again.kind == "repair" and again.snapshot.limits["max_cost_usd"] is None


# what travels to the provider


async def test_each_role_thinks_as_much_as_it_is_told(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, thinks=True) as server:
        given = side_by_side(max_calls=2)
        await run(bench, given)
        await run(bench, replace(given, policy={**given.policy, "effort": {"*": "low"}}))
    efforts = [chat.body.get("output_config", {}).get("effort") for chat in server.chats]
    assert efforts == ["high", "medium", "low", "low"]


async def test_a_session_of_before_the_effort_replays_and_a_fork_may_set_it(
    workbench: Workbench, tmp_path: Path
) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(FIXED)},
    )
    policy = cast(Any, {name: value for name, value in default_policy().items() if name != "effort"})
    session_id = await workbench.create(shop_task(), replace(options(model, "full_auto"), policy=policy))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
        start = next(c.id for c in await session.timeline() if c.node == "run_suite")
        again = await to_end(session.fork(start, {}))
        assert (again.snapshot.spent["calls"], ended.snapshot.spent["calls"]) == (0, 2)
        other = await to_end(session.fork(start, {"effort": "debugger=max"}))
        assert other.snapshot.spent["calls"] == 2, "the question is another one"
        assert other.snapshot.policy["effort"] == {"debugger": "max", "repairer": "medium", "summarizer": "low"}


async def test_the_time_limits_reach_the_provider(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    workbench._time_limits = TimeLimits(first_s=0.2, piece_s=0.2, total_s=0.2)
    async with served(monkeypatch, {"fault": "stall"}):
        session_id = await workbench.create(shop_task(), side_by_side())
        async with workbench.open_session(session_id) as session:
            provider = session._deps.provider(MODEL)
            assert provider.limits == workbench._time_limits  # type: ignore[attr-defined]
