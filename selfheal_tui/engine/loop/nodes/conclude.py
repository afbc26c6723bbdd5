"""Node: the end. An unhealed run goes back to the best program it saw, so that this is what is kept and shown."""

from __future__ import annotations

from typing import cast

from langgraph.runtime import Runtime

from selfheal_tui.text import plural

from ...moment.state import WELL_ENDED, HealState
from ...moment.workspace import load_workspace
from ...workshop.deps import Deps
from ...workshop.role_context import load_records
from ...workshop.trusted import doubts_about_part
from .offer import leave


async def conclude(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Keep the best program of an unhealed run; leave what was learnt for other sessions."""
    if state["outcome"] not in WELL_ENDED:
        update = _best(state)
        return {**update, "doubts": await _doubts(cast(HealState, {**state, **update}), runtime.context)}
    if state["policy"]["lessons"]:
        await leave(runtime, state)
    return {}


async def _doubts(state: HealState, deps: Deps) -> list[str]:
    """Return what speaks against the program that is kept: with those so far, that of parts which nobody looked at."""
    records = await load_records(deps, state.get("head", ""))
    workspace = await load_workspace(deps.blobs, state)
    doubts = list(state.get("doubts", []))
    for record, repair in reversed(records):
        lines = record["taken"]["lines"] if "taken" in record else []
        in_program = all(line[1:] in workspace.files.get(path, "") for path, line in lines if line[:1] == "+")
        if record["by"] == "human" or record["verdict"] == "reject" or not in_program:
            continue
        part = doubts_about_part(repair)
        told = any(doubt.startswith(part.partition(". ")[0]) for doubt in doubts)
        doubts += [part] if part and not told else []
    return doubts


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
