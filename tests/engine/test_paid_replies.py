"""Replies that are paid for and bring little (cut, empty, declined): each is counted, none is bought twice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from selfheal_tui.engine.moment.events import CallFinished, Event
from selfheal_tui.engine.session.workbench import Workbench
from tests.wire.rig import KEY, clean
from tests.wire.script import Script
from tests.wire.server import Recorded, WireServer

from .driving import DIAGNOSIS, FIXED, drain, options, repair_reply, shop_task


@asynccontextmanager
async def _server(
    monkeypatch: pytest.MonkeyPatch, *entries: dict[str, Any], **script: Any
) -> AsyncIterator[WireServer]:
    clean(monkeypatch)
    async with WireServer(Script.of(*entries, **script)) as server:
        for name, value in server.environment(KEY).items():
            monkeypatch.setenv(name, value)
        yield server


async def _run(workbench: Workbench, model: str) -> list[Event]:
    given = options(model, "full_auto", 3)
    policy = {**given.policy, "critic": "off", "debug_steps": 0}
    session_id = await workbench.create(shop_task(), replace(given, policy=policy))
    async with workbench.open_session(session_id) as session:
        return await drain(session.resume())


def _asked(server: WireServer, role: str) -> list[Recorded]:
    return [chat for chat in server.chats if chat.role == role]


@pytest.mark.parametrize("model", ["anthropic:tiny", "openai:tiny", "ollama:tiny"])
async def test_a_reply_that_thinking_cut_short_is_asked_for_once_more_with_twice_the_room(
    model: str, workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = (
        {"role": "debugger", "reply": DIAGNOSIS, "thinking_tokens": 60_000},
        {"role": "repairer", "reply": repair_reply(FIXED), "thinking_tokens": 5_000},
    )
    async with _server(monkeypatch, *entries, thinks=True, context_length=200_000) as server:
        events = await _run(workbench, model)
        first, second = (_limit(chat.body) for chat in _asked(server, "debugger"))
    assert events[-1].snapshot.outcome == "healed", events[-1]
    assert second == 2 * first
    asked_twice = next(event for event in events if isinstance(event, CallFinished) and event.role == "debugger")
    assert f"cut at its longest, {first:,} tokens with the thinking" in asked_twice.degraded
    spent = events[-1].snapshot.spent
    assert spent["output_tokens"] >= first + 60_000 + 5_000, "all thinking is on the bill"


def _limit(body: Any) -> int:
    return int(body.get("max_tokens") or body["options"]["num_predict"])


async def test_a_reply_without_text_is_counted_and_asked_for_twice_at_most(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = {"input_tokens": 1000, "output_tokens": 800}
    own = Workbench(workbench.store.home, prices={"anthropic:tiny": "2/10"})
    async with _server(monkeypatch, {"fault": "silent", "usage": used}) as server:
        events = await _run(own, "anthropic:tiny")
        paid = len(server.chats)
    spent = events[-1].snapshot.spent
    assert spent["calls"] == paid and spent["output_tokens"] == 800 * paid
    assert spent["cost_usd"] == pytest.approx(paid * (1000 * 2 + 800 * 10) / 1e6)
    assert max(len(_asked(server, role)) for role in ("debugger", "repairer")) <= 2 * 3


@pytest.mark.parametrize("model", ["anthropic:tiny", "openai:tiny"])
async def test_a_model_that_declines_is_asked_once_and_the_run_ends_with_its_words(
    model: str, workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = ({"role": "debugger", "reply": DIAGNOSIS}, {"role": "repairer", "fault": "refusal"})
    async with _server(monkeypatch, *entries) as server:
        events = await _run(workbench, model)
        assert len(_asked(server, "repairer")) == 1
    snapshot = events[-1].snapshot
    assert snapshot.outcome == "gave_up" and snapshot.iteration == 0
    assert snapshot.reason.startswith("The repairer's model declined to answer: ")
    assert snapshot.spent["calls"] == 2, "it is paid for all the same"


async def test_a_refusal_that_a_crash_followed_is_not_paid_for_again(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = ({"role": "debugger", "reply": DIAGNOSIS}, {"role": "repairer", "fault": "refusal"})
    async with _server(monkeypatch, *entries) as server:
        session_id = await workbench.create(shop_task(), options("anthropic:tiny", "full_auto", 3))
        async with workbench.open_session(session_id) as session, aclosing(session.resume()) as running:
            async for event in running:
                if isinstance(event, CallFinished) and event.role == "repairer":
                    break
        paid = len(server.chats)
        async with workbench.open_session(session_id) as session:
            events = await drain(session.resume())
        assert len(server.chats) == paid
    assert events[-1].snapshot.outcome == "gave_up"
