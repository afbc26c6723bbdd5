"""Node: run the whole suite over the present program; the verdict is the sandbox's."""

from __future__ import annotations

import time

from langgraph.runtime import Runtime

from selfheal_tui.errors import InputError
from selfheal_tui.sandbox.base import SuiteReport, run_through
from selfheal_tui.text import one_line

from ..deps import Deps
from ..state import HealState
from ..workspace import Workspace, load_workspace
from .common import took


async def run_suite(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Run every case; name the outcome when the suite passes or a limit is reached."""
    started, deps = time.monotonic(), runtime.context
    workspace = await load_workspace(deps.blobs, state)
    suite = workspace.suite(deps.suite_limits, verify=deps.verify)
    report = (await run_through(deps.sandbox, suite, runtime.stream_writer)).report
    if state.get("iteration", 0) == 0 and (why := unusable_tests(report, workspace)):
        raise InputError(why, "Mend the tests or name others with --tests, then start again.")
    update: HealState = {
        "report_ref": await deps.blobs.put(report),
        "passed": report["passed"],
        "failed": report["failed"] + report["errors"] + report["timeouts"],
        "spent": took(started),
    }
    iteration, most = state.get("iteration", 0), state["limits"]["max_iterations"]
    if report["verdict"] == "passed":
        what = "without a change" if iteration == 0 else f"after {iteration} repair{'s' * (iteration > 1)}"
        return update | {"outcome": "healed", "reason": f"All {report['passed']} cases pass {what}."}
    if iteration >= most:
        reason = (
            f"{update['failed']} of {len(report['cases'])} cases still fail after {iteration} of {most} iterations."
        )
        return update | {"outcome": "gave_up", "reason": reason}
    best = state.get("best")
    if best is None or update["passed"] > best["passed"]:
        update["best"] = {
            "iteration": iteration,
            "passed": update["passed"],
            "failed": update["failed"],
            "changes": state.get("changes", {}),
            "report_ref": update["report_ref"],
        }
    return update


def unusable_tests(report: SuiteReport, workspace: Workspace) -> str:
    """Return why no repair of the program can help: nothing was collected, and the program is not to blame."""
    if report["verdict"] != "error":
        return ""
    if not report["cases"]:
        return one_line(f"The suite cannot run: {report['error']}.")
    modules = {path.removesuffix(".py").removesuffix("/__init__").split("/")[-1] for path in workspace.program}
    for case in report["cases"]:
        place = (case["location"] or "").rpartition(":")[0]
        collected = "::" in case["id"]
        if collected or place in workspace.program or any(name in case["message"] for name in modules):
            return ""
    return one_line(f"The tests cannot be collected: {report['cases'][0]['id']}: {report['cases'][0]['message']}.")
