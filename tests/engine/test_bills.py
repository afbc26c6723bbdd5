"""What was paid is counted once, whatever came between paying and saving; an unreadable reply is not paid twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from selfheal_tui.engine.moment.events import CallFinished, RunFinished
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import load_task
from selfheal_tui.store.session_db import open_db
from selfheal_tui.store.sessions import DB_NAME

from .driving import BUGGY, DIAGNOSIS, FIXED, drain, options, repair_reply, script, shop_task, to_end, to_failure

USAGE = {"input_tokens": 10, "output_tokens": 5, "cost_usd": 0.01}
REPAIRER = {"role": "repairer", "reply": repair_reply(FIXED), "usage": USAGE}


async def open_bills(workbench: Workbench, session_id: str) -> list[tuple[Any, ...]]:
    async with open_db(workbench.store.folder(session_id) / DB_NAME) as db:
        return await db.rows("select usage from bill") + await db.rows("select key from draft")


async def test_an_unreadable_reply_is_not_asked_for_again_when_its_correction_failed(
    workbench: Workbench, tmp_path: Path
) -> None:
    path = tmp_path / "m.yaml"
    unreadable = {"role": "debugger", "reply": "I cannot say.", "usage": USAGE}
    model = script(path, {"role": "debugger", "when": "could not be used", "error": "overloaded"}, unreadable)
    session_id = await workbench.create(shop_task(), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        await to_failure(session.resume())
    correction = {"role": "debugger", "when": ["I cannot say.", "could not be used"], "reply": DIAGNOSIS}
    script(path, {**correction, "usage": USAGE}, {"role": "debugger", "error": "must not be asked"}, REPAIRER)
    async with workbench.open_session(session_id) as session:
        spent = (await to_end(session.resume())).snapshot.spent
    assert (spent["calls"], spent["replayed_calls"], spent["input_tokens"]) == (3, 1, 30)
    assert spent["cost_usd"] == pytest.approx(0.03)
    assert await open_bills(workbench, session_id) == []


async def test_two_unreadable_replies_are_not_served_for_ever(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    model = script(path, {"role": "debugger", "reply": "I cannot say."}, {"role": "repairer", "error": "overloaded"})
    session_id = await workbench.create(shop_task(), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        await to_failure(session.resume())
    script(path, {"role": "debugger", "reply": DIAGNOSIS}, REPAIRER)
    async with workbench.open_session(session_id) as session:
        first = next(c.id for c in await session.timeline() if c.node == "run_suite")
        ended = await to_end(session.fork(first, {}))
    assert ended.snapshot.outcome == "healed"
    assert ended.snapshot.spent["calls"] == 2


def refuse(monkeypatch: pytest.MonkeyPatch, name: str, refused: Callable[..., bool]) -> None:
    """Let the disk be full for some of the saver's writes."""
    method = getattr(AsyncSqliteSaver, name)

    async def full(self: Any, *values: Any) -> Any:
        if refused(*values):
            raise sqlite3.OperationalError("database or disk is full")
        return await method(self, *values)

    monkeypatch.setattr(AsyncSqliteSaver, name, full)


@pytest.mark.parametrize("checkpoint_too", [True, False], ids=["nothing", "only the checkpoint"])
async def test_a_call_whose_node_could_not_be_saved_is_counted_once(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checkpoint_too: bool
) -> None:
    """The disk is full when the diagnosis is saved: its reply is in the ledger, and what it cost on a bill."""
    model = script(tmp_path / "m.yaml", {"role": "debugger", "reply": DIAGNOSIS, "usage": USAGE}, REPAIRER)
    session_id = await workbench.create(shop_task(), options(model, "full_auto"))
    with monkeypatch.context() as patched:
        refuse(patched, "aput_writes", lambda _, writes, *__: any(name == "diagnosis_ref" for name, _ in writes))
        if checkpoint_too:
            refuse(patched, "aput", lambda _, checkpoint, *__: checkpoint["channel_values"].get("diagnosis_ref"))
        async with workbench.open_session(session_id) as session:
            failed = await to_failure(session.resume())
    assert "disk is full" in failed.error.message
    assert len(await open_bills(workbench, session_id)) == checkpoint_too
    async with workbench.open_session(session_id) as session:
        spent = (await to_end(session.resume())).snapshot.spent
    assert (spent["calls"], spent["replayed_calls"], spent["input_tokens"]) == (2, checkpoint_too, 20)
    assert spent["cost_usd"] == pytest.approx(0.02)
    assert await open_bills(workbench, session_id) == []


async def test_what_was_given_up_is_not_asked_again_because_its_node_could_not_be_saved(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two unreadable replies are paid, the node that gives up is lost with the disk: its strategy stays given up."""
    wrong = repair_reply(BUGGY.replace("amount = 0", "amount = 1"))
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS, "usage": USAGE},
        {"role": "repairer", "when": "smallest change", "reply": "no JSON", "usage": USAGE},
        {"role": "repairer", "reply": wrong, "usage": USAGE},
    )
    given = options(model, "full_auto", 1)
    given = replace(given, policy={**given.policy, "strategies": ["minimal", "rewrite"], "near_miss_s": 0.0})
    session_id = await workbench.create(shop_task(), given)
    with monkeypatch.context() as patched:
        refuse(patched, "aput_writes", lambda _, writes, *__: any(name == "failures" for name, _ in writes))
        refuse(patched, "aput", lambda _, checkpoint, *__: checkpoint["channel_values"].get("failures"))
        async with workbench.open_session(session_id) as session:
            assert "disk is full" in (await to_failure(session.resume())).error.message
    async with workbench.open_session(session_id) as session:
        events = await drain(session.resume())
    asked = [event for event in events if isinstance(event, CallFinished)]
    assert asked and all(event.replayed for event in asked)
    last = events[-1]
    assert isinstance(last, RunFinished) and last.snapshot.outcome == "gave_up"
    assert (last.snapshot.spent["calls"], last.snapshot.spent["replayed_calls"]) == (4, 2)
    assert await open_bills(workbench, session_id) == []


async def test_a_run_that_failed_for_unreadable_replies_asks_afresh(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    spec_tests = {"role": "spec_tester", "reply": {"tests": "def test_one():\n    assert total([1], 0) == 1\n"}}
    model = script(path, spec_tests, {"role": "generator", "reply": "I would rather talk."})
    task = load_task([], [], "Write total(prices, discount).", [])
    session_id = await workbench.create(task, options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        for _ in range(2):
            asked = [event async for event in session.resume() if isinstance(event, CallFinished)]
            assert [event.replayed for event in asked if event.role == "generator"] == [False, False]
    assert len(await open_bills(workbench, session_id)) == 4
