"""What all nodes share: the context of a role call, and how long the node took."""

from __future__ import annotations

import time
from typing import cast

from langgraph.runtime import Runtime

from selfheal_tui.sandbox.base import SuiteReport

from ..deps import Deps
from ..roles.context import RoleContext
from ..state import HealState, Spent, add_spent, no_spend
from ..workspace import load_workspace


async def role_context(state: HealState, runtime: Runtime[Deps]) -> RoleContext:
    """Load what a role sees of this moment."""
    deps = runtime.context
    report_ref = state.get("report_ref", "")
    return RoleContext(
        deps=deps,
        emit=runtime.stream_writer,
        state=state,
        workspace=await load_workspace(deps.blobs, state),
        spec=await deps.blobs.get_text(state["spec_ref"]),
        report=cast(SuiteReport, await deps.blobs.get(report_ref)) if report_ref else None,
    )


def took(started: float, spent: Spent | None = None) -> Spent:
    """Add the time since `started` (time.monotonic) to a bill."""
    return add_spent(spent, {**no_spend(), "time_s": round(time.monotonic() - started, 3)})


def over_limit(state: HealState) -> str:
    """Return the sentence for a budget that is used up; empty while there is room."""
    limits, spent = state["limits"], state.get("spent") or no_spend()
    tokens = spent["input_tokens"] + spent["output_tokens"]
    if limits["max_tokens"] is not None and tokens >= limits["max_tokens"]:
        return f"The budget of {limits['max_tokens']} tokens is used up ({tokens})."
    if limits["max_time_s"] is not None and spent["time_s"] >= limits["max_time_s"]:
        return f"The budget of {limits['max_time_s']:g} s is used up."
    if limits["max_cost_usd"] is not None:
        if spent["cost_usd"] is None:
            return "A call's price is unknown, so the budget in dollars cannot be kept. Use --max-tokens."
        if spent["cost_usd"] >= limits["max_cost_usd"]:
            return f"The budget of ${limits['max_cost_usd']:g} is used up."
    return ""
