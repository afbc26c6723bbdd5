"""Node: a budget is used up; ask how to go on. Does nothing else: it runs again from its start on resume."""

from __future__ import annotations

from ...moment.review import ask
from ...moment.state import HealState
from ..policy import accept_budget
from .answer import answered


async def review_budget(state: HealState) -> HealState:
    """Ask the human; a run without reviews ends with the best it has."""
    decision = accept_budget(state) or ask(
        {
            "kind": "budget",
            "iteration": state.get("iteration", 0),
            "proposal_ref": state["budget_ref"],
            "evidence_refs": {"report": state["report_ref"]} if state.get("report_ref") else {},
        }
    )
    return answered("budget", state, decision)
