"""Node: ask whether the first code may go on. Does nothing else: it runs again from its start on resume."""

from __future__ import annotations

from ...moment.review import ask
from ...moment.state import HealState
from ..policy import accept_unseen
from .answer import answered


async def review_code(state: HealState) -> HealState:
    """Ask the human where every review is theirs."""
    decision = accept_unseen(state) or ask(
        {
            "kind": "code",
            "iteration": state.get("iteration", 0),
            "proposal_ref": next(iter(state["changes"].values())),
            "evidence_refs": {f"tests {kind}": ref for kind, ref in state.get("suites", {}).items()},
        }
    )
    return answered("code", state, decision)
