"""Node: explain why the suite fails."""

from __future__ import annotations

import time

from langgraph.runtime import Runtime

from selfheal_tui.errors import ReplyInvalid

from ..deps import Deps
from ..reply import InvalidReply
from ..roles.debugger import find_cause
from ..state import Diagnosis, HealState
from .common import out_of_budget, role_context, took


async def diagnose(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Ask the debugger; an unreadable reply becomes a diagnosis of confidence 0, not a crash."""
    started = time.monotonic()
    if stop := await out_of_budget(state, runtime.context.blobs, "diagnose"):
        return stop
    context = await role_context(state, runtime)
    try:
        diagnosis, spent = await find_cause(context)
    except InvalidReply as error:
        diagnosis, spent = _degraded(error, context.model("debugger")), error.spent
    return {
        "diagnosis_ref": await runtime.context.blobs.put(diagnosis),
        "decision": None,
        "attempt": state.get("attempt", 0) + 1,
        "candidates": {},
        "spent": took(started, spent),
    }


def _degraded(error: ReplyInvalid, model: str) -> Diagnosis:
    return {
        "fault": "code",
        "category": "unknown",
        "cause": f"Degraded: no diagnosis could be read. {error.message}",
        "evidence": [],
        "strategy": "Repair from the failing cases alone.",
        "confidence": 0.0,
        "by": model,
    }
