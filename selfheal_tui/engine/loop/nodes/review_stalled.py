"""Node: the loop repeats itself; ask how to go on. Does nothing else: it runs again from its start on resume."""

from __future__ import annotations

from ...moment.review import ask
from ...moment.state import HealState
from ..policy import accept_stall
from .answer import answered


async def review_stalled(state: HealState) -> HealState:
    """Ask the human; a run without reviews ends as stalled."""
    decision = accept_stall(state) or ask(
        {
            "kind": "stalled",
            "iteration": state.get("iteration", 0),
            "proposal_ref": state["diagnosis_ref"],
            "evidence_refs": {"report": state["report_ref"]},
        }
    )
    return answered("stalled", state, decision)
