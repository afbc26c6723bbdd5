"""Node: advisory, after green: what bandit says of the finished program."""

from __future__ import annotations

from ..state import HealState


async def security_review(state: HealState) -> HealState:
    """Return the advice, when it is asked for."""
    return {}
