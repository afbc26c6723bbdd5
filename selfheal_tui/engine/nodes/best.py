"""The best program so far: whatever passed most cases, applied or only rehearsed."""

from __future__ import annotations

from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.store.blobs import Blobs

from ..state import Best, HealState, Repair


def best_of(state: HealState, report: SuiteReport, report_ref: str) -> Best | None:
    """Return the state's program as the best when its report beats the best so far."""
    best = state.get("best")
    if best is not None and report["passed"] <= best["passed"]:
        return None
    return _best(state.get("iteration", 0), report, report_ref, state.get("changes", {}))


async def better(state: HealState, blobs: Blobs, repair: Repair) -> HealState:
    """Return the update that keeps a rehearsed repair as the best; none when it is not, or changes a test."""
    report, best = repair["report"], state.get("best")
    if repair.get("of_test") or best is None or report["passed"] <= best["passed"]:
        return {}
    refs = {path: await blobs.put_text(text) for path, text in repair["changes"].items()}
    changes = {**state.get("changes", {}), **refs}
    return {"best": _best(state["iteration"], report, await blobs.put(report), changes)}


def _best(iteration: int, report: SuiteReport, report_ref: str, changes: dict[str, str]) -> Best:
    return {
        "iteration": iteration,
        "passed": report["passed"],
        "failed": report["failed"] + report["errors"] + report["timeouts"],
        "changes": changes,
        "report_ref": report_ref,
    }
