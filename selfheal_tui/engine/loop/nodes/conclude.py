"""Node: the end. An unhealed run goes back to the best program it saw, so that this is what is kept and shown."""

from __future__ import annotations

from langgraph.runtime import Runtime

from selfheal_tui.text import plural

from ...moment.state import WELL_ENDED, HealState
from ...workshop.deps import Deps
from .offer import leave


async def conclude(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Keep the best program of an unhealed run; leave what was learnt for other sessions."""
    if state["outcome"] not in WELL_ENDED:
        return _best(state)
    if state["policy"]["lessons"]:
        await leave(runtime, state)
    return {}


def _best(state: HealState) -> HealState:
    best = state.get("best")
    if not best or best["passed"] <= state.get("passed", 0):
        return {}
    return {
        "changes": best["changes"],
        "report_ref": best["report_ref"],
        "passed": best["passed"],
        "failed": best["failed"],
        "reason": f"{state['reason']} Kept: the program of iteration {best['iteration']}, "
        f"which passes {plural(best['passed'], 'case')}.".strip(),
    }
