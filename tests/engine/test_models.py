"""The model path: malformed, wrong and failing replies, what is paid and what never twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import CallFinished, TokenStreamed
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import load_task
from selfheal_tui.errors import InputError, ProviderError, SettingsError

from .driving import (
    BUGGY,
    DIAGNOSIS,
    FIXED,
    drain,
    options,
    repair_reply,
    script,
    shop_task,
    to_end,
    to_failure,
    to_review,
)


async def test_fenced_reply_with_prose_is_read(workbench: Workbench, tmp_path: Path) -> None:
    import json

    fenced = f"Sure! Here it is:\n```json\n{json.dumps(DIAGNOSIS)}\n```\nOr perhaps:\n```json\n{{}}\n```\n"
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": fenced},
        {"role": "repairer", "reply": repair_reply(FIXED)},
    )
    session_id = await workbench.create(shop_task(), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        events = await drain(session.resume())
    calls = [e for e in events if isinstance(e, CallFinished)]
    assert [(c.role, c.degraded) for c in calls] == [("debugger", "in a fence"), ("repairer", "")]
    assert "".join(e.text for e in events if isinstance(e, TokenStreamed) and e.role == "debugger") == fenced
    assert events[-1].snapshot.outcome == "healed"


async def test_malformed_reply_gets_one_repair_round(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "when": "could not be used", "reply": DIAGNOSIS},
        {"role": "debugger", "reply": {"cause": "half a diagnosis"}},
    )
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
    assert asked.snapshot.diagnosis is not None and asked.snapshot.diagnosis["cause"] == DIAGNOSIS["cause"]
    assert asked.snapshot.spent["calls"] == 2


async def test_unreadable_replies_are_shown_as_degraded_and_end(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml", {"role": "debugger", "reply": "I cannot say."}, {"role": "repairer", "reply": "{{{"}
    )
    session_id = await workbench.create(shop_task(), options(model, "review_all", 2))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.snapshot.diagnosis is not None and asked.snapshot.diagnosis["cause"].startswith("Degraded")
        asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        assert asked.kind == "diagnosis" and asked.snapshot.iteration == 1
        ended = await to_end(session.decide(asked.checkpoint_id, review.approve()))
    assert ended.snapshot.outcome == "gave_up" and ended.snapshot.spent["calls"] == 8


async def test_provider_failure_keeps_the_session_and_what_was_paid(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    model = script(path, {"role": "debugger", "reply": DIAGNOSIS}, {"role": "repairer", "error": "overloaded"})
    session_id = await workbench.create(shop_task(), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        failed = await to_failure(session.resume())
        assert isinstance(failed.error, ProviderError) and "overloaded" in failed.error.message
    listed = workbench.list_sessions()[0]
    assert (listed.outcome, listed.failure, "overloaded" in listed.reason) == ("failed", "model", True)
    script(path, {"role": "debugger", "error": "must not be asked"}, {"role": "repairer", "reply": repair_reply(FIXED)})
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
    assert ended.snapshot.outcome == "healed" and ended.snapshot.spent["calls"] == 2


async def test_forked_question_replays_from_the_ledger(workbench: Workbench, tmp_path: Path) -> None:
    usage = {"input_tokens": 10, "output_tokens": 5, "cost_usd": 0.01}
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS, "usage": usage},
        {"role": "repairer", "reply": repair_reply(FIXED), "usage": usage},
    )
    session_id = await workbench.create(shop_task(), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
        assert ended.snapshot.spent["cost_usd"] == 0.02
        first = next(c for c in await session.timeline() if c.node == "run_suite")
        events = await drain(session.fork(first.id, {}))
    calls = [e for e in events if isinstance(e, CallFinished)]
    assert len(calls) == 2 and all(c.replayed for c in calls)
    spent = events[-1].snapshot.spent
    assert (spent["calls"], spent["replayed_calls"], spent["cost_usd"]) == (0, 2, 0.0)


async def test_repeated_and_foreign_repairs_are_failed_attempts(workbench: Workbench, tmp_path: Path) -> None:
    foreign = {"summary": "Change the test.", "files": [{"path": "test_shop.py", "text": ""}]}
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "when": "which may not be changed", "reply": repair_reply(FIXED)},
        {"role": "repairer", "when": "Proposed again", "reply": foreign},
        {"role": "repairer", "reply": repair_reply(BUGGY.replace("= 0", "= 1"))},
    )
    session_id = await workbench.create(shop_task(), options(model, "full_auto", 6))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
    assert (ended.snapshot.outcome, ended.snapshot.program["shop.py"]) == ("healed", FIXED)
    assert ended.snapshot.iteration == 4


async def test_spec_mode_writes_tests_then_code_then_heals(workbench: Workbench, tmp_path: Path) -> None:
    tests = "from solution import double\n\n\ndef test_double():\n    assert double(4) == 8\n"
    right, wrong = "def double(x):\n    return 2 * x\n", "def double(x):\n    return x + 2\n"
    model = script(
        tmp_path / "m.yaml",
        {"role": "spec_tester", "when": "double(x)", "reply": {"tests": tests}},
        {"role": "generator", "when": "double(4) == 8", "reply": {"code": wrong}},
        {"role": "debugger", "reply": DIAGNOSIS},
        {
            "role": "repairer",
            "reply": {"summary": "Multiply.", "files": [{"path": "solution.py", "text": right}]},
        },
    )
    task = load_task([], [], "Write double(x).", [])
    session_id = await workbench.create(task, options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
        nodes = [c.node for c in await session.timeline()]
    assert ended.snapshot.outcome == "healed" and ended.snapshot.program == {"solution.py": right}
    assert nodes[2:8:2] == ["write_spec_tests", "generate", "write_adversarial_tests"]


async def test_search_refuses_what_it_cannot_do(workbench: Workbench) -> None:
    with pytest.raises(InputError, match="cannot write it from a spec"):
        await workbench.create(load_task([], [], "Write double(x).", []), options())
    with pytest.raises(InputError, match=r"shop.py does not parse, line 1"):
        await workbench.create(shop_task("def total(:\n"), options())
    assert workbench.list_sessions() == []


async def test_budget_ends_the_run_before_the_next_call(workbench: Workbench, tmp_path: Path) -> None:
    usage = {"input_tokens": 90, "output_tokens": 20, "cost_usd": 0.0}
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS, "usage": usage},
        {"role": "repairer", "error": "must not be asked"},
    )
    given = options(model, "full_auto")
    session_id = await workbench.create(shop_task(), replace(given, limits={**given.limits, "max_tokens": 100}))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
        assert (ended.snapshot.outcome, ended.snapshot.spent["calls"]) == ("budget", 1)
        assert ended.snapshot.reason == "The budget of 100 tokens is used up (110 tokens)."
        head = await session.head()
        assert head is not None
        failed = await to_failure(session.fork(head, {"max_tokens": 1000}))
        assert "must not be asked" in failed.error.message


async def test_the_search_takes_over_where_a_model_failed(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml", {"role": "debugger", "reply": DIAGNOSIS}, {"role": "repairer", "error": "overloaded"}
    )
    session_id = await workbench.create(shop_task(), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        await to_failure(session.resume())
        head = await session.head()
        assert head is not None
        ended = await to_end(session.fork(head, {"model": "search"}))
        assert {call["role"] for call in await session.calls()} == {"debugger"}
    assert ended.snapshot.outcome == "healed"


async def test_a_model_that_cannot_be_asked_is_refused_and_leaves_nothing(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        before = await session.timeline()
        for change in ({"*": "anthropic:claude-sonnet-5-5"}, {"critic": "anthropic:claude-sonnet-5-5"}):
            with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY is not set"):
                await drain(session.fork(asked.checkpoint_id, {"model": change}))
        with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY is not set"):
            await drain(session.race(asked.checkpoint_id, [{"model": "anthropic:claude-sonnet-5-5"}, {}]))
        with pytest.raises(SettingsError, match="no models to choose from"):
            await drain(session.fork(asked.checkpoint_id, {"model": "search:fast"}))
        assert await session.timeline() == before


async def test_the_search_is_refused_where_code_has_to_be_written(workbench: Workbench, tmp_path: Path) -> None:
    model = script(tmp_path / "m.yaml", {"role": "spec_tester", "error": "overloaded"})
    session_id = await workbench.create(load_task([], [], "Write double(x).", []), options(model))
    async with workbench.open_session(session_id) as session:
        await to_failure(session.resume())
        head = await session.head()
        assert head is not None
        with pytest.raises(InputError, match="cannot write it from a spec"):
            await drain(session.fork(head, {"model": "search"}))
