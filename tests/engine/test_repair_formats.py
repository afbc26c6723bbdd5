"""Repairs as edits, functions and files, at the wire: a long module is mended for little, and no edit is guessed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from selfheal_tui.engine.moment.events import Event
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from tests.wire.rig import KEY, clean
from tests.wire.script import Script
from tests.wire.server import Recorded, WireServer

from .driving import BUGGY, DIAGNOSIS, FIXED, TESTS, drain, options, repair_reply, shop_task

WRONG, RIGHT = "    return amount + discount\n", "    return amount - discount\n"
NEIGHBOUR = '''def price_{n}(amount, rate=0.{n}):
    """Return the price of article {n} with its tax."""
    tax = amount * rate
    if amount < 0:
        raise ValueError("a price is never negative")
    return round(amount + tax, 2)


'''
NEIGHBOURS = 160
"""In a module that is shown in part."""


def with_neighbours(count: int) -> str:
    """Return the program amid so many other functions."""
    texts = [NEIGHBOUR.format(n=n) for n in range(count)]
    return "".join([*texts[: count // 2], BUGGY, "\n\n", *texts[count // 2 :]]).rstrip("\n") + "\n"


def line_of_cause(program: str) -> int:
    return program[: program.index(WRONG)].count("\n") + 1


LONG = with_neighbours(NEIGHBOURS)
LINE = line_of_cause(LONG)


def edit(find: str, put: str, path: str = "shop.py") -> dict[str, Any]:
    return {
        "why": "The last line adds.",
        "summary": "Subtract the discount.",
        "edits": [{"path": path, "find": find, "replace": put}],
    }


def function(text: str, name: str = "total") -> dict[str, Any]:
    functions = [{"path": "shop.py", "name": name, "text": text}]
    return {"why": "The last line adds.", "summary": "Subtract it.", "functions": functions, "edits": []}


@asynccontextmanager
async def _server(
    monkeypatch: pytest.MonkeyPatch, *repairs: Mapping[str, Any], line: int = LINE
) -> AsyncIterator[WireServer]:
    clean(monkeypatch)
    cause = {**DIAGNOSIS, "evidence": [{"file": "shop.py", "line": line, "why": "amount + discount"}]}
    entries = [{"role": "debugger", "reply": cause}, *({"role": "repairer", **repair} for repair in repairs)]
    async with WireServer(Script.of(*entries, context_length=200_000)) as server:
        for name, value in server.environment(KEY).items():
            monkeypatch.setenv(name, value)
        yield server


async def _run(
    workbench: Workbench, task: Task, repair_format: str = "auto", model: str = "openai:tiny"
) -> list[Event]:
    given = options(model, "full_auto", 1)
    policy: Any = {**given.policy, "critic": "off", "repair_format": repair_format}
    session_id = await workbench.create(task, replace(given, policy=policy))
    async with workbench.open_session(session_id) as session:
        return await drain(session.resume())


def _repairs(server: WireServer) -> list[Recorded]:
    return [chat for chat in server.chats if chat.role == "repairer"]


def _text(chat: Recorded) -> str:
    return "\n".join(message["content"] for message in chat.body["messages"])


async def test_a_module_of_5000_lines_heals_in_two_calls_and_under_20000_tokens(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = with_neighbours(640)
    assert module.count("\n") > 5_000
    line = line_of_cause(module)
    async with _server(monkeypatch, {"reply": edit(WRONG, RIGHT)}, line=line) as server:
        events = await _run(workbench, shop_task(module))
        asked = [chat.role for chat in server.chats]
        debugger, repairer = map(_text, server.chats)
    snapshot = events[-1].snapshot
    assert snapshot.outcome == "healed" and snapshot.program == {"shop.py": module.replace(WRONG, RIGHT)}
    assert asked == ["debugger", "repairer"]
    spent = snapshot.spent
    assert spent["input_tokens"] + spent["output_tokens"] < 20_000
    assert f"{line:4} {WRONG}" in debugger and WRONG in repairer and "def price_319(" in repairer
    for text in (debugger, repairer):
        assert "shown in part" in text and "def price_5(" not in text


@pytest.mark.deep
@pytest.mark.parametrize("model", ["anthropic:tiny", "openai:tiny", "ollama:tiny"])
async def test_the_critic_sees_what_changed_in_a_long_module(
    model: str, workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdict = {"verdict": "approve", "summary": "Good.", "test": "", "basis": "", "untried": []}
    async with _server(monkeypatch, {"reply": edit(WRONG, RIGHT)}, {"role": "critic", "reply": verdict}) as server:
        given = options(model, "full_auto", 1)
        session_id = await workbench.create(shop_task(LONG), given)
        async with workbench.open_session(session_id) as session:
            await drain(session.resume())
        critic = next(str(chat.body) for chat in server.chats if chat.role == "critic")
    assert "amount - discount" in critic and "def price_5(" not in critic


BLOCK = f"""The discount is added.

shop.py
```python
<<<<<<< SEARCH
{WRONG}=======
{RIGHT}>>>>>>> REPLACE
```
"""


@pytest.mark.parametrize(
    ("reply", "repair_format"),
    [
        *((edit(WRONG, RIGHT), other) for other in ("functions", "files")),
        *((function(FIXED), other) for other in ("edits", "files")),
        *((repair_reply(FIXED), other) for other in ("edits", "functions")),
        *((BLOCK, other) for other in ("auto", "edits")),
    ],
)
async def test_every_format_is_taken_whatever_was_asked_for(
    repair_format: str, reply: Any, workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _server(monkeypatch, {"reply": reply}) as server:
        events = await _run(workbench, shop_task(), repair_format)
        assert len(_repairs(server)) == 1
    assert events[-1].snapshot.program == {"shop.py": FIXED}


async def test_the_setting_decides_what_is_asked_for(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    for wanted, field in {"auto": "files", "edits": "edits", "functions": "functions", "files": "files"}.items():
        async with _server(monkeypatch, {"reply": function(FIXED)}) as server:
            await _run(workbench, shop_task(), wanted)
            schema = _repairs(server)[0].body["response_format"]["json_schema"]["schema"]
        assert field in schema["required"] and schema["additionalProperties"] is False


async def test_a_local_model_is_asked_for_functions_of_a_long_module(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _server(monkeypatch, {"reply": function(FIXED)}) as server:
        events = await _run(workbench, shop_task(LONG), model="ollama:tiny")
        assert "functions" in _repairs(server)[0].body["format"]["required"]
    assert events[-1].snapshot.program == {"shop.py": LONG.replace(WRONG, RIGHT)}


async def test_lines_that_are_not_there_are_answered_with_the_nearest_ones(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = {"when": "could not be used", "reply": edit(WRONG, RIGHT)}
    async with _server(monkeypatch, again, {"reply": edit("    return amount + rebate\n", RIGHT)}) as server:
        events = await _run(workbench, shop_task(LONG))
        first, second = map(_text, _repairs(server))
    assert events[-1].snapshot.outcome == "healed"
    asked = second.removeprefix(first)
    data, _, instruction = asked.partition("=== end ===")
    assert f"the nearest are lines {LINE - 1} to {LINE + 1}:\n        amount += price\n{WRONG}" in data
    assert "edits.0 (shop.py): the lines to find are not in the file" in instruction and WRONG not in instruction


async def test_lines_that_stand_in_several_places_are_refused_with_the_places(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _server(monkeypatch, {"reply": edit("    tax = amount * rate\n", "    tax = 0\n")}) as server:
        events = await _run(workbench, shop_task(LONG))
        _, second = map(_text, _repairs(server))
    assert f"stand in {NEIGHBOURS} places (line 3; line 11;" in second
    snapshot = events[-1].snapshot
    assert snapshot.outcome != "healed" and snapshot.program == {"shop.py": LONG}


async def test_a_file_shown_in_part_is_not_taken_whole(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that saw 300 lines of 5,000 would throw the others away."""
    again = {"when": "a part of this file only", "reply": edit(WRONG, RIGHT)}
    async with _server(monkeypatch, again, {"reply": repair_reply(FIXED)}):
        events = await _run(workbench, shop_task(LONG))
    assert events[-1].snapshot.program == {"shop.py": LONG.replace(WRONG, RIGHT)}


async def test_a_file_that_no_reply_can_hold_is_told_before_the_call(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _server(monkeypatch, {"reply": repair_reply(FIXED)}) as server:
        events = await _run(workbench, shop_task(with_neighbours(640)), "files")
        assert _repairs(server) == []
    assert "shop.py is too long to be answered whole" in str(events[-1].snapshot)


async def test_a_short_file_costs_no_more_than_it_did(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """2,593 characters of instructions, schema and data went out for this program before there were formats."""
    async with _server(monkeypatch, {"reply": repair_reply(FIXED)}) as server:
        await _run(workbench, shop_task(tests=TESTS))
        sent = _text(_repairs(server)[0])
    assert "Return each changed file whole" in sent and len(sent) <= 2_593
