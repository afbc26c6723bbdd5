"""A used-up budget is a question, not an end: more room, the best so far, or stop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import InputError

from .driving import BUGGY, DIAGNOSIS, FIXED, options, repair_reply, script, shop_task, to_end, to_repair, to_review

USAGE = {"input_tokens": 90, "output_tokens": 20, "cost_usd": 0.001}
WORSE = BUGGY.replace("amount + discount", "amount - discount - 1")


async def paused(workbench: Workbench, tmp_path: Path, **limits: Any) -> str:
    """Start a session that runs out of its budget after the diagnosis."""
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS, "usage": USAGE},
        {"role": "repairer", "reply": repair_reply(FIXED), "usage": USAGE},
    )
    given = options(model)
    return await workbench.create(shop_task(), replace(given, limits={**given.limits, **limits}))


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"max_tokens": 100}, "The budget of 100 tokens is used up (110 tokens)."),
        ({"max_calls": 1}, "The budget of 1 call is used up (1 call)."),
        ({"max_cost_usd": 0.001}, "The budget of $0.0010 is used up ($0.0010)."),
    ],
)
async def test_as_much_again_goes_on(workbench: Workbench, tmp_path: Path, limits: dict[str, Any], words: str) -> None:
    session_id = await paused(workbench, tmp_path, **limits)
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        assert asked.kind == "budget" and asked.snapshot.budget is not None
        assert asked.snapshot.budget["reason"] == words
        again = await to_repair(session, session.decide(asked.checkpoint_id, review.approve()))
        assert again.kind == "repair"
        (name,) = limits
        assert again.snapshot.limits[name] > limits[name]  # type: ignore[literal-required]
        ended = await to_end(session.decide(again.checkpoint_id, review.approve()))
        assert ended.snapshot.outcome == "healed"


async def test_new_limits_hold(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await paused(workbench, tmp_path, max_tokens=100)
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        for value in ({"max_tokens": -1}, {"max_tokens": 1.5}, {"tokens": 9}, {}):
            with pytest.raises(InputError, match="cannot be used"):
                await to_review(session.decide(asked.checkpoint_id, review.edit(value)))
        again = await to_repair(session, session.decide(asked.checkpoint_id, review.edit({"max_tokens": 111})))
        assert again.kind == "repair"
        assert again.snapshot.limits["max_tokens"] == 111


async def test_finishing_keeps_the_best_code(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS, "usage": USAGE},
        {"role": "repairer", "reply": repair_reply(WORSE.replace("- 1", "- len(prices) * 0 - 1")), "usage": USAGE},
    )
    given = options(model)
    session_id = await workbench.create(shop_task(), replace(given, limits={**given.limits, "max_tokens": 220}))
    async with workbench.open_session(session_id) as session:
        repair = await to_repair(session, session.resume())
        assert repair.kind == "repair" and repair.snapshot.report is not None
        before = repair.snapshot.report["passed"]
        asked = await to_review(session.decide(repair.checkpoint_id, review.approve()))
        assert asked.kind == "budget" and asked.snapshot.budget is not None
        assert asked.snapshot.budget["best_iteration"] == 0
        ended = await to_end(session.decide(asked.checkpoint_id, review.reject("")))
        assert ended.snapshot.outcome == "budget"
        assert ended.snapshot.program["shop.py"] == BUGGY
        assert ended.snapshot.report is not None and ended.snapshot.report["passed"] == before
        again = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        assert again.branch != asked.branch


async def test_an_unknown_price_cannot_be_kept_to_a_budget_in_dollars(workbench: Workbench, tmp_path: Path) -> None:
    model = script(tmp_path / "m.yaml", {"role": "debugger", "reply": DIAGNOSIS, "usage": {"cost_usd": None}})
    given = options(model)
    session_id = await workbench.create(shop_task(), replace(given, limits={**given.limits, "max_cost_usd": 5.0}))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        assert asked.snapshot.budget is not None and "price is unknown" in asked.snapshot.budget["reason"]
        assert asked.snapshot.spent["cost_usd"] is None
