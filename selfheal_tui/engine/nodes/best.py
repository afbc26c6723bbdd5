"""The best program so far: of those that were accepted, the one that passed most cases."""

from __future__ import annotations

from selfheal_tui.sandbox.base import SuiteReport
from ..state import Best, HealState


def best_of(state: HealState, report: SuiteReport, report_ref: str) -> Best | None:
    """Return the state's program as the best when its report beats the best so far."""
    best = state.get("best")
    if best is not None and report["passed"] <= best["passed"]:
        return None
    return _best(state.get("iteration", 0), report, report_ref, state.get("changes", {}))


def _best(iteration: int, report: SuiteReport, report_ref: str, changes: dict[str, str]) -> Best:
    return {
        "iteration": iteration,
        "passed": report["passed"],
        "failed": report["failed"] + report["errors"] + report["timeouts"],
        "changes": changes,
        "report_ref": report_ref,
    }
