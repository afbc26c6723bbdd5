"""Node: what a decision on a repair teaches goes into the lessons."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ..deps import Deps
from ..state import HealState


async def learn(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Add a lesson from the newest record."""
    return {"lessons": state.get("lessons", [])}
