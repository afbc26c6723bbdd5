"""Node: ask whether the diagnosis is right. Does nothing else: it runs again from its start on resume."""

from __future__ import annotations

from ..policy import accept_diagnosis
from ..review import ask
from ..state import HealState
from .answer import feedback_after


async def review_diagnosis(state: HealState) -> HealState:
    """Ask the human, unless the autonomy lets the policy answer."""
    decision = accept_diagnosis(state) or ask(
        {
            "kind": "diagnosis",
            "iteration": state["iteration"],
            "proposal_ref": state["diagnosis_ref"],
            "evidence_refs": {"report": state["report_ref"]},
        }
    )
    update: HealState = {"decision": decision, "feedback": feedback_after(state, decision)}
    match decision["verdict"]:
        case "edit":
            update["diagnosis_ref"] = decision["value_ref"]
        case "stop":
            update |= {"outcome": "stopped", "reason": "Stopped by the user at the diagnosis."}
        case _:
            pass
    return update
