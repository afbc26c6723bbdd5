"""Node: a hostile reader of the code writes tests against it."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ..deps import Deps
from ..state import HealState


async def write_adversarial_tests(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Ask the adversary; store the suite under `adversarial`."""
    return {"written": "", "decision": None}
