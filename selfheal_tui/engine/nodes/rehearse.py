"""Node: run every proposed repair against the whole suite and rank them by what they do."""

from __future__ import annotations

import time
from typing import cast

from langgraph.runtime import Runtime

from selfheal_tui.sandbox.base import SuiteReport, run_through

from ..deps import Deps
from ..events import CandidateRehearsed
from ..rank import rank_repairs, rehearsed
from ..state import HealState, Repair
from ..workspace import load_workspace
from .common import took


async def rehearse(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Attach to each candidate its report, what it fixes and breaks, its diff and its rank."""
    started, deps = time.monotonic(), runtime.context
    workspace = await load_workspace(deps.blobs, state)
    before = cast(SuiteReport, await deps.blobs.get(state["report_ref"]))
    done: list[Repair] = []
    for label, ref in state["candidates"].items():
        repair = cast(Repair, await deps.blobs.get(ref))
        suite = workspace.suite(deps.suite_limits, changes=repair["changes"])
        after = (await run_through(deps.sandbox, suite)).report
        tried = rehearsed(repair, workspace.program_texts, before, after)
        done.append(tried)
        runtime.stream_writer(CandidateRehearsed(label, len(tried["fixes"]), len(tried["breaks"])))
    ranked = rank_repairs(done)
    best = ranked[0]
    return {
        "candidates": {str(n): await deps.blobs.put(repair) for n, repair in enumerate(ranked, 1)},
        "gain": len(best["fixes"]) - len(best["breaks"]),
        "decision": None,
        "spent": took(started),
    }
