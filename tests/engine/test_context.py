"""Prompts meet a model's context: old evidence gives way, the program and the failing case never, and it is told."""

from __future__ import annotations

import math
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from selfheal_tui.engine.moment.events import CallFinished, Event, PromptShortened, RunFailed
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.llm.faults import ContextTooLong
from selfheal_tui.store.packing import unpack
from selfheal_tui.store.session_db import open_db
from tests.wire.rig import KEY, clean
from tests.wire.script import Script
from tests.wire.server import WireServer

from .driving import BUGGY, DIAGNOSIS, FIXED, TESTS, drain, options, repair_reply, shop_task

CONTEXT = 8192
OTHER_TESTS = "\n".join(f"def test_other_{n}():\n    assert {n} + 1 == {n + 1}\n\n" for n in range(60))
FAILING_CASE = "test_shop.py::test_discount"


def _wrong(number: int) -> dict[str, Any]:
    """Return a repair that helps nobody and is long: about 1,000 tokens of history."""
    words = "".join(f"# attempt {number}: the discount may be in cents, line {n} of an excuse\n" for n in range(40))
    return repair_reply(BUGGY.replace("+ discount", f"+ {number} * discount") + words, f"Try number {number}.")


def _entries(count: int, **fault: Any) -> list[dict[str, Any]]:
    """Return a model that gives `count` wrong repairs, one after the other, and then the right one."""
    newest_first = [
        {"role": "repairer", "when": f"autonomy: Try number {number}.", "reply": _wrong(number + 1), **fault}
        for number in range(count - 1, 1, -1)
    ]
    return [
        {"role": "debugger", "reply": DIAGNOSIS, **fault},
        {"role": "repairer", "when": f"autonomy: Try number {count}.", "reply": repair_reply(FIXED), **fault},
        *newest_first,
        {"role": "repairer", "when": "autonomy: Try number 1.", "reply": _wrong(2), **fault},
        {"role": "repairer", "reply": _wrong(1), **fault},
    ]


def _task() -> Task:
    task = shop_task()
    files = {**task.files, "test_other.py": OTHER_TESTS}
    return Task("fix", "shop", files, ("shop.py",), ("test_other.py", "test_shop.py"))


@asynccontextmanager
async def _server(
    monkeypatch: pytest.MonkeyPatch, entries: list[dict[str, Any]], context: int = CONTEXT, **script: Any
) -> AsyncIterator[WireServer]:
    clean(monkeypatch)
    async with WireServer(Script.of(*entries, context_length=context, models=["tiny"], **script)) as server:
        for name, value in server.environment(KEY).items():
            monkeypatch.setenv(name, value)
        yield server


async def _run(workbench: Workbench, task: Task, model: str) -> tuple[str, list[Event]]:
    given = options(model, "full_auto", 8)
    # One reader less: what is counted here are the calls of the loop itself.
    session_id = await workbench.create(task, replace(given, policy={**given.policy, "critic": "off"}))
    async with workbench.open_session(session_id) as session:
        return session_id, await drain(session.resume())


def _texts(body: Mapping[str, Any]) -> str:
    """Return system prompt and user message of a chat in Ollama's or OpenAI's shape."""
    return "\n".join(message["content"] for message in body["messages"])


def _tokens(text: str) -> int:
    return math.ceil(len(text.encode()) / 3)


async def test_told_limit_is_kept_and_old_repairs_go_first(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _server(monkeypatch, _entries(4)) as server:
        session_id, events = await _run(workbench, _task(), "ollama:tiny")
        bodies = [chat.body for chat in server.chats]
    assert events[-1].snapshot.outcome == "healed", events[-1]
    assert len(bodies) == 10, "nothing was asked twice"
    for body in bodies:
        text = _texts(body)
        assert _tokens(text) + body["options"]["num_predict"] <= CONTEXT
        assert body["options"]["num_predict"] >= 1024
        assert "amount + discount" in text and FAILING_CASE in text and TESTS.strip() in text
    last = _texts(bodies[-1])
    assert (
        "autonomy: Try number 4." in last
        and "autonomy: Try number 1." not in last
        and re.search(r"\(\d older diffs, \d older repairs? left out\)", last)
    )
    assert "def test_other_59" in last, "what is named in no failing case goes after the history"
    told = [event for event in events if isinstance(event, PromptShortened)]
    assert told and told[-1].words().startswith("history shortened to fit 8,192 tokens: without ")
    assert not any("left out)" in _texts(body) for body in bodies[:2]), "what fits is sent whole"
    await _check_ledger(workbench, session_id, bodies)


async def _check_ledger(workbench: Workbench, session_id: str, bodies: list[Any]) -> None:
    """Check that the ledger holds the prompts that were sent, and no others."""
    async with open_db(workbench.store.folder(session_id) / "session.db") as db:
        asked = [unpack(row[0]) for row in await db.rows("select prompt from call")]
    assert len(asked) == len(bodies)
    for body in bodies:
        assert [text for text in asked if text.endswith("\n\n" + body["messages"][-1]["content"])]


@pytest.mark.deep
async def test_shortened_prompts_are_answered_from_the_ledger(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _server(monkeypatch, _entries(3)) as server:
        session_id, events = await _run(workbench, _task(), "ollama:tiny")
        assert any(isinstance(event, PromptShortened) for event in events)
        asked = len(server.chats)
    # The server is gone: neither the replies nor the length of the context can be asked for.
    async with workbench.open_session(session_id) as session:
        first = next(c for c in await session.timeline() if c.node == "run_suite")
        events = await drain(session.fork(first.id, {}))
    calls = [event for event in events if isinstance(event, CallFinished)]
    assert len(calls) == asked == 8 and all(call.replayed for call in calls)
    assert events[-1].snapshot.outcome == "healed"


@pytest.mark.deep
@pytest.mark.parametrize(("model", "context"), [("openai:tiny", 4500), ("anthropic:tiny", 4200)])
async def test_untold_limit_is_learnt_once(
    model: str, context: int, workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    if model.startswith("openai"):
        pytest.importorskip("openai")
    async with _server(
        monkeypatch, _entries(4, fault="context_full"), context, key=KEY, tells_of_models=False
    ) as server:
        _, events = await _run(workbench, _task(), model)
    assert events[-1].snapshot.outcome == "healed", events[-1]
    told = [event for event in events if isinstance(event, PromptShortened)]
    assert {event.context_tokens for event in told} == {context}
    calls = [event for event in events if isinstance(event, CallFinished)]
    # The vendor's own step, a shorter reply, comes first; a prompt is shortened when that is not enough.
    assert len(calls) == 10 and len(server.chats) > len(calls)
    last = server.chats[-1]
    assert "left out)" in str(last.body) and last.body["max_tokens"] < context - 1000
    first = next(n for n, chat in enumerate(server.chats) if "left out" in str(chat.body))
    after = [event for event in events[events.index(told[0]) :] if isinstance(event, CallFinished)]
    assert len(server.chats) - first == len(after) > 2, "nothing is refused any more"


async def test_what_cannot_fit_is_said_and_not_sent(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    long = replace(shop_task(), spec="The discount is taken off the sum.\n" * 1_700)
    async with _server(monkeypatch, _entries(2)) as server:
        session_id, events = await _run(workbench, long, "ollama:tiny")
        assert server.chats == []
    failed = events[-1]
    assert isinstance(failed, RunFailed) and isinstance(failed.error, ContextTooLong)
    assert "What the debugger must see takes about 2" in failed.error.message
    assert "'tiny' has a context of 8,192" in failed.error.message
    assert "--model" in failed.error.hint and "fewer files" in failed.error.hint
    assert workbench.list_sessions()[0].outcome == "failed"
    async with _server(monkeypatch, _entries(1), context=64_000) as server:
        async with workbench.open_session(session_id) as session:
            events = await drain(session.resume())
        assert server.chats
    assert events[-1].snapshot.outcome == "healed", "a resume with a longer context goes on"


async def test_a_prompt_that_is_denser_than_thought_is_shortened_further(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = _entries(3)
    # Ollama says nothing about a prompt that it cut; the count of its tokens does.
    full = {"usage": {"input_tokens": CONTEXT, "output_tokens": 5}}
    entries.insert(0, {"role": "repairer", "when": ["# attempt 1"], "reply": "{}", **full})
    async with _server(monkeypatch, entries) as server:
        _, events = await _run(workbench, _task(), "ollama:tiny")
        bodies = [_texts(chat.body) for chat in server.chats]
    assert events[-1].snapshot.outcome == "healed", events[-1]
    refused = next(n for n, text in enumerate(bodies) if "# attempt 1" in text)
    assert "autonomy: Try number 1." in bodies[refused + 1] and "# attempt 1" not in bodies[refused + 1]
    assert events[-1].snapshot.spent["input_tokens"] >= CONTEXT, "a refused call that was paid for counts"


async def test_unreadable_reply_leaves_room_for_the_second_question(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [
        {"role": "debugger", "when": "could not be used", "reply": DIAGNOSIS},
        {"role": "debugger", "reply": "I think that " * 2000},
        {"role": "repairer", "reply": repair_reply(FIXED)},
    ]
    async with _server(monkeypatch, entries) as server:
        _, events = await _run(workbench, _task(), "ollama:tiny")
        again = server.chats[1].body
    assert events[-1].snapshot.outcome == "healed", events[-1]
    assert "(1 unreadable reply left out)" in _texts(again) and "I think" not in _texts(again)
    assert _tokens(_texts(again)) + again["options"]["num_predict"] <= CONTEXT
