"""Node: ask whether this is the end. Does nothing else: it runs again from its start on resume."""

from __future__ import annotations

from ...moment.review import ask
from ...moment.state import HealState
from ..policy import accept_end
from .answer import answered


async def review_end(state: HealState) -> HealState:
    """Every case passes: ask the human where every review is theirs, else that is the end."""
    evidence = {"report": state["report_ref"], **{f"advice {by}": ref for by, ref in state.get("advice", {}).items()}}
    decision = accept_end(state) or ask(
        {
            "kind": "end",
            "iteration": state.get("iteration", 0),
            "proposal_ref": state.get("objection_ref", "") or state["report_ref"],
            "evidence_refs": evidence,
        }
    )
    return answered("end", state, decision)
