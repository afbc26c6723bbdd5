"""What a decision does to the state: the same for a review node and for answering an old review again. Pure."""

from __future__ import annotations

from ...moment.closed import with_avoided
from ...moment.comments import reason_text
from ...moment.review import Decision, ReviewKind
from ...moment.state import FEEDBACK_KEPT, HealState
from ..reviews.table import REVIEWS


def answered(kind: ReviewKind, state: HealState, decision: Decision) -> HealState:
    """Return what the review node `review_{kind}` writes once it has its decision."""
    update: HealState = {"decision": decision, "feedback": _feedback_after(state, decision)}
    if decision["verdict"] == "stop" and decision["by"] == "policy":
        return update | {"outcome": "gave_up", "reason": decision["note"]}
    if avoid := decision.get("avoid"):
        update["avoid"] = with_avoided(state.get("avoid", []), avoid)
    if decision["verdict"] == "stop":
        return update | {"outcome": "stopped", "reason": f"Stopped by the user at the {kind}."}
    return update | REVIEWS[kind].update(state, decision)


def _feedback_after(state: HealState, decision: Decision) -> list[str]:
    notes, reason = state.get("feedback", []), reason_text(decision)
    return [*notes, reason][-FEEDBACK_KEPT:] if reason and decision["by"] == "human" else notes
