"""Node: advisory, after green: the advisors that are plain functions."""

from __future__ import annotations

import time

from langgraph.runtime import Runtime

from ...moment.state import HealState
from ...moment.workspace import load_workspace
from ...workshop.deps import Deps
from ..own_advisors import advice_by, own_names
from .common import took


async def own_advice(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Return what each of them found that is asked for."""
    names = own_names(state["policy"]["advisors"])
    if not names:
        return {}
    started, deps = time.monotonic(), runtime.context
    program = (await load_workspace(deps.blobs, state)).program_texts
    advice = {name: await deps.blobs.put(await advice_by(name, deps.advisors.get(name), program)) for name in names}
    return {"advice": advice, "spent": took(started)}
