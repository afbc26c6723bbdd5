"""Node: ask which repair to apply, if any. Does nothing else: it runs again from its start on resume."""

from __future__ import annotations

from ...moment.review import ask
from ...moment.state import HealState
from ..policy import accept_repair
from .answer import answered


async def review_repair(state: HealState) -> HealState:
    """Ask the human, unless the autonomy lets the policy answer."""
    decision = accept_repair(state) or ask(
        {
            "kind": "repair",
            "iteration": state["iteration"],
            "proposal_ref": state["candidates"]["1"],
            "evidence_refs": {
                "report": state["report_ref"],
                "diagnosis": state["diagnosis_ref"],
                **{f"candidate {label}": ref for label, ref in state["candidates"].items()},
            },
        }
    )
    return answered("repair", state, decision)
