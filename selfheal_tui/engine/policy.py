"""Who decides: what each autonomy lets the policy answer in the human's place. Pure."""

from __future__ import annotations

from .review import Decision
from .state import HealState


def accept_diagnosis(state: HealState) -> Decision | None:
    """Approve the diagnosis unless every review is the human's."""
    return None if state["autonomy"] == "review_all" else _policy("approve", "")


def accept_repair(state: HealState) -> Decision | None:
    """In full autonomy approve a repair that helps, reject one that does not; else leave it to the human."""
    if state["autonomy"] != "full_auto":
        return None
    if state.get("gain", 0) > 0:
        return _policy("approve", "")
    return _policy("reject", "In the rehearsal this repair did not make more cases pass.")


def accept_budget(state: HealState) -> Decision | None:
    """A used-up budget is the human's to raise; in full autonomy nobody does."""
    return _policy("reject", "") if state["autonomy"] == "full_auto" else None


def _policy(verdict: str, note: str) -> Decision:
    return {"verdict": verdict, "value_ref": "", "pick": "", "note": note, "by": "policy"}  # type: ignore[typeddict-item]
