"""Node: carry the decision on a repair out, in the session's copy; write it into the record either way."""

from __future__ import annotations

from typing import cast

from langgraph.runtime import Runtime

from ..deps import Deps
from ..review import Decision
from ..state import HealState, Record, Repair
from .answer import FEEDBACK_KEPT


async def apply(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Approved or edited: the changes join the program and the iteration ends. Rejected: only the record grows."""
    blobs, decision = runtime.context.blobs, cast(Decision, state["decision"])
    label = decision["pick"] or "1"
    repair = cast(Repair, await blobs.get(state["candidates"][label]))
    if decision["verdict"] == "edit":
        edited = cast(dict[str, dict[str, str]], await blobs.get(decision["value_ref"]))
        repair = {
            "summary": f"Edited by the human: {repair['summary']}",
            "changes": edited["changes"],
            "strategy": "human",
            "by": "human",
        }
    refused = decision["verdict"] == "reject"
    record: Record = {
        "prev": state.get("head", ""),
        "iteration": state["iteration"],
        "repair_ref": await blobs.put(repair),
        "changes_ref": await blobs.put(repair["changes"]),
        "verdict": decision["verdict"],
        "note": decision["note"],
        "by": decision["by"],
    }
    head = await blobs.put(record)
    if refused:
        return {**_after_refusal(state, decision), "head": head}
    changes = {path: await blobs.put_text(text) for path, text in repair["changes"].items()}
    return {
        "head": head,
        "changes": {**state.get("changes", {}), **changes},
        "iteration": state["iteration"] + 1,
        "attempt": 0,
        "feedback": [],
        "candidates": None,  # type: ignore[typeddict-item]
    }


def _after_refusal(state: HealState, decision: Decision) -> HealState:
    """A human may refuse as often as they like; the policy's refusals count as iterations, so they end."""
    if decision["by"] == "human":
        return {"candidates": None}  # type: ignore[typeddict-item]
    iteration, most = state["iteration"] + 1, state["limits"]["max_iterations"]
    update: HealState = {
        "iteration": iteration,
        "feedback": [*state.get("feedback", []), decision["note"]][-FEEDBACK_KEPT:],
        "candidates": None,  # type: ignore[typeddict-item]
    }
    if iteration >= most:
        update |= {"outcome": "gave_up", "reason": f"No repair helped in {most} iterations."}
    return update
