"""Node: write the first program for a spec."""

from __future__ import annotations

import time

from langgraph.runtime import Runtime

from ...dialogue.reply import OutOfBudget
from ...dialogue.roles.generator import write_program
from ...moment.state import HealState
from ...workshop.deps import Deps
from .common import role_context, took


async def generate(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Ask the generator; its file becomes a change over the empty base."""
    started = time.monotonic()
    try:
        files, spent = await write_program(await role_context(state, runtime))
    except OutOfBudget as error:
        return {"outcome": "budget", "reason": error.message, "decision": None, "spent": took(started, error.spent)}
    changes = {path: await runtime.context.blobs.put_text(text) for path, text in files.items()}
    return {
        "changes": {**state.get("changes", {}), **changes},
        "attempt": state.get("attempt", 0) + 1,
        "decision": None,
        "spent": took(started, spent),
    }
