"""What the steps of one diagnosis share is sent in the same bytes, and most input comes from the provider's cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from selfheal_tui.engine.session.workbench import Workbench
from tests.wire.rig import KEY, clean
from tests.wire.script import Script
from tests.wire.server import Recorded, WireServer

from .driving import BUGGY, DIAGNOSIS, FIXED, TESTS, drain, options, repair_reply, shop_task

STEPS = 8
_FEE = 'def fee_{0}(amount):\n    """Return fee {0}."""\n    return amount * {0} // 100\n'
FILLER = "\n".join(_FEE.format(number) for number in range(160))
"""About 3,000 tokens that no test looks at."""


def _look(number: int) -> dict[str, Any]:
    code = f"from shop import total\nfor n in range(40):\n    print('step {number} sum', n, total([n, {number}], 3))\n"
    return {"thought": "What is added? " * 20, "action": "run_snippet", "code": code}


def _entries() -> list[Mapping[str, Any]]:
    last_first = [{"role": "debugger", "when": [f"Step {n}\n"], "reply": _look(n + 1)} for n in range(STEPS - 1, 0, -1)]
    conclude = {"thought": "Certain.", "action": "conclude", "diagnosis": {**DIAGNOSIS, "disproof": ""}}
    return [
        {"role": "debugger", "when": [f"Step {STEPS}\n"], "reply": conclude},
        *last_first,
        {"role": "debugger", "reply": _look(1)},
        {"role": "repairer", "reply": repair_reply(f"{FILLER}\n\n{FIXED}")},
    ]


async def _run(workbench: Workbench, monkeypatch: pytest.MonkeyPatch, model: str) -> tuple[list[Recorded], Any]:
    """Heal with eight steps of the debugger; return what was asked, and what the run used as the server told it."""
    clean(monkeypatch)
    script = Script.of(*_entries(), caches=True, context_length=200_000)
    async with WireServer(script) as server:
        for name, value in server.environment(KEY).items():
            monkeypatch.setenv(name, value)
        given = options(model, "full_auto", 3)
        given = replace(given, policy={**given.policy, "critic": "off", "debug_steps": STEPS})
        session_id = await workbench.create(shop_task(f"{FILLER}\n\n{BUGGY}", TESTS), given)
        async with workbench.open_session(session_id) as session:
            last = (await drain(session.resume()))[-1]
            calls = await session.calls()
    assert last.snapshot.outcome == "healed", last
    return server.chats, [call["usage"] for call in calls]


@pytest.mark.parametrize("model", ["anthropic:claude-sonnet-5-5", "openai:gpt-5"])
async def test_most_input_of_a_long_diagnosis_comes_from_the_cache(
    model: str, workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    chats, usages = await _run(workbench, monkeypatch, model)
    assert [chat.role for chat in chats] == ["debugger"] * (STEPS + 1) + ["repairer"]
    read = sum(usage["cached_tokens"] for usage in usages)
    total = sum(usage["input_tokens"] for usage in usages)
    print(f"{model}: {read:,} of {total:,} input tokens from the cache, {read / total:.1%}")
    assert read / total >= 0.7


async def test_the_steps_of_a_diagnosis_begin_with_the_same_bytes(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    chats, _ = await _run(workbench, monkeypatch, "anthropic:claude-sonnet-5-5")
    bodies = [chat.body for chat in chats if chat.role == "debugger"]
    assert len({str((body["system"], body["output_config"], body["model"])) for body in bodies}) == 1
    contents = [[block["text"] for block in body["messages"][0]["content"]] for body in bodies]
    for before, after in pairwise(contents):
        assert after[: len(before) - 1] == before[:-1], "what came before stays; only the last block is new"
    shared, moment = contents[0][:2]
    assert "=== tests ===" in shared and "=== program ===" in moment and "=== result of the suite ===" in moment
    assert "your steps so far" not in shared + moment
    assert "No action but `conclude` is left" in contents[-1][-1]
