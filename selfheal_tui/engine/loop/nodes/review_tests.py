"""Node: ask whether generated tests may judge the code. Does nothing else: it runs again from its start on resume."""

from __future__ import annotations

from ...moment.review import ask
from ...moment.state import HealState
from ..policy import accept_unseen
from .answer import answered


async def review_tests(state: HealState) -> HealState:
    """Ask the human where every review is theirs; without new tests there is nothing to ask."""
    written = state.get("written", "")
    decision = accept_unseen(state) if written else None
    if not written:
        return {"decision": None}
    decision = decision or ask(
        {
            "kind": "tests",
            "iteration": state.get("iteration", 0),
            "proposal_ref": state["suites"][written],
            "evidence_refs": {},
        }
    )
    return answered("tests", state, decision)
