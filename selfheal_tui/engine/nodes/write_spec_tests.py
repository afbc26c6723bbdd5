"""Node: write the tests from the spec alone, before any code exists."""

from __future__ import annotations

import time

from langgraph.runtime import Runtime

from ..deps import Deps
from ..roles.spec_tester import write_tests
from ..state import HealState
from .common import role_context, took


async def write_spec_tests(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Ask the spec_tester; store the suite under `spec`."""
    started = time.monotonic()
    tests, spent = await write_tests(await role_context(state, runtime))
    ref = await runtime.context.blobs.put(tests)
    return {
        "suites": {**state.get("suites", {}), "spec": ref},
        "written": "spec",
        "attempt": state.get("attempt", 0) + 1,
        "decision": None,
        "spent": took(started, spent),
    }
