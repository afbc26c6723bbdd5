"""Node: a reader of the finished program looks for what the suite did not check."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ..deps import Deps
from ..state import HealState


async def critique(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Ask the critic; an objection that the sandbox confirms becomes a case."""
    return {"objection_ref": ""}
