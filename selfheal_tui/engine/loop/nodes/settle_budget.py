"""Node: carry the answer to a used-up budget out: more room, or the end."""

from __future__ import annotations

from typing import cast

from langgraph.runtime import Runtime

from ...moment.budget import BudgetReached, same_again
from ...moment.review import Decision
from ...moment.state import HealState, RunLimits
from ...workshop.deps import Deps


async def settle_budget(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Grant as much again (approved) or the limits given (edited), or end the run (rejected)."""
    blobs, decision = runtime.context.blobs, cast(Decision, state["decision"])
    question = cast(BudgetReached, await blobs.get(state["budget_ref"]))
    if decision["verdict"] == "reject":
        return {"outcome": "budget", "reason": question["reason"], "budget_ref": ""}
    if decision["verdict"] == "edit":
        limits = cast(RunLimits, {**state["limits"], **await blobs.get(decision["value_ref"])})
    else:
        limits = same_again(state["limits"], question["spent"], question["reached"])
    return {"limits": limits, "budget_ref": "", "decision": None}
