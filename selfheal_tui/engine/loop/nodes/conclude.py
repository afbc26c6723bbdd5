"""Node: the end. An unhealed run goes back to the best program it saw, so that this is what is kept and shown."""

from __future__ import annotations

from typing import cast

from langgraph.runtime import Runtime

from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.text import plural

from ...moment.state import WELL_ENDED, HealState
from ...moment.workspace import load_workspace
from ...suites.missing_packages import missing_words, waiting_files, waiting_words
from ...workshop.deps import Deps
from .offer import leave


async def conclude(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Keep the best program of an unhealed run; leave what was learnt for other sessions."""
    if state["outcome"] not in WELL_ENDED:
        update = _best(state)
        return {**update, **await _waiting(cast(HealState, {**state, **update}), runtime.context)}
    if state["policy"]["lessons"]:
        await leave(runtime, state)
    return {}


async def _waiting(state: HealState, deps: Deps) -> HealState:
    """Add to the reason which test files wait for a package: no edit could have mended them."""
    if not (ref := state.get("report_ref")):
        return {}
    workspace = await load_workspace(deps.blobs, state)
    waiting = waiting_files(cast(SuiteReport, await deps.blobs.get(ref)), workspace.files)
    if not waiting or missing_words(sorted(set(waiting.values()))) in state["reason"]:
        return {}
    return {"reason": f"{state['reason']} {waiting_words(waiting)}".strip()}


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
