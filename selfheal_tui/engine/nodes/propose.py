"""Node: propose repairs for the accepted diagnosis."""

from __future__ import annotations

import time

from langgraph.runtime import Runtime

from ..deps import Deps
from ..reply import InvalidReply
from ..roles.repairer import Proposals, propose_repairs
from ..state import HealState
from .answer import FEEDBACK_KEPT
from .common import out_of_budget, role_context, took


async def propose(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Ask the repairer. No usable proposal is a failed iteration; the search has nothing more to give then."""
    started = time.monotonic()
    if stop := await out_of_budget(state, runtime.context.blobs, "propose"):
        return stop
    context = await role_context(state, runtime)
    try:
        proposals = await propose_repairs(context)
    except InvalidReply as error:
        proposals = Proposals([], error.spent, error.message)
    update: HealState = {
        "candidates": None,  # type: ignore[typeddict-item]
        "attempt": state.get("attempt", 0) + 1,
        "spent": took(started, proposals.spent),
    }
    if proposals.repairs:
        refs = {str(n): await runtime.context.blobs.put(r) for n, r in enumerate(proposals.repairs, 1)}
        return update | {"candidates": refs}
    if proposals.final:
        return update | {"outcome": "gave_up", "reason": proposals.why_none}
    iteration, most = state["iteration"] + 1, state["limits"]["max_iterations"]
    update |= {
        "iteration": iteration,
        "feedback": [*state.get("feedback", []), proposals.why_none][-FEEDBACK_KEPT:],
    }
    if iteration >= most:
        return update | {
            "outcome": "gave_up",
            "reason": f"{proposals.why_none} That was iteration {iteration} of {most}.",
        }
    return update
