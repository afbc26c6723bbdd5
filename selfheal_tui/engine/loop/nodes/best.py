"""The best program so far: of those that were accepted, the one that passed most cases."""

from __future__ import annotations

from selfheal_tui.sandbox.base import SuiteReport

from ...moment.state import Best, HealState


def best_of(state: HealState, report: SuiteReport, report_ref: str) -> Best | None:
    """Return the state's program as the best when its report beats the best so far."""
    best = state.get("best")
    if best is not None and report["passed"] <= best["passed"]:
        return None
    return {
        "iteration": state.get("iteration", 0),
        "passed": report["passed"],
        "failed": report["failed"] + report["errors"] + report["timeouts"],
        "changes": state.get("changes", {}),
        "report_ref": report_ref,
    }
