"""Node: ask whether the diagnosis is right. Does nothing else: it runs again from its start on resume."""

from __future__ import annotations

from ...moment.review import ask
from ...moment.state import HealState
from ..policy import accept_diagnosis
from .answer import answered


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
    return answered("diagnosis", state, decision)
