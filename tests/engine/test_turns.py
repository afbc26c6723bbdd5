"""Strategies of one round at an Ollama with one slot: one after the other, and none runs out of time meanwhile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from selfheal_tui.engine.moment.events import CallFinished, CallWaits, Noticed, StrategyEnded
from selfheal_tui.engine.session.workbench import Workbench
from tests.wire.rig import clean
from tests.wire.script import Script
from tests.wire.server import Recorded, WireServer

from .driving import DIAGNOSIS, FIXED, drain, options, repair_reply, shop_task


async def test_strategies_take_turns_at_a_server_with_one_slot(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    clean(monkeypatch)
    script = Script.of(
        {"role": "debugger", "reply": DIAGNOSIS}, {"role": "repairer", "reply": repair_reply(FIXED), "delay_s": 0.01},
        sizes={"tiny": 4 * 1024**3}, vram=1024**3,
    )  # fmt: skip
    under_way: list[Recorded] = []
    most = 0

    async def watch(recorded: Recorded, share: float) -> None:
        nonlocal most
        if recorded not in under_way:
            under_way.append(recorded)
        most = max(most, len(under_way))
        if share == 1.0:
            under_way.remove(recorded)

    given = options("ollama:tiny", "full_auto", 3)
    policy = {**given.policy, "critic": "off", "debug_steps": 0, "strategies": ["minimal", "rewrite", "defensive"]}
    async with WireServer(script) as server:
        server.watch = watch
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        session_id = await workbench.create(shop_task(), replace(given, policy=policy))
        async with workbench.open_session(session_id) as session:
            events = await drain(session.resume())
        asked = [chat.role for chat in server.chats]
    assert events[-1].snapshot.outcome == "healed", events[-1]
    assert asked.count("repairer") == 3 and most == 1
    assert len([event for event in events if isinstance(event, CallFinished)]) == len(asked)
    assert not [event for event in events if isinstance(event, CallWaits | StrategyEnded)]
    notices = [event.text for event in events if isinstance(event, Noticed)]
    assert len([text for text in notices if "wait for their turn" in text]) == 1
    assert len([text for text in notices if "75 % of tiny on the processor" in text]) == 1
