"""Node: the end. An unhealed run goes back to the best program it saw, so that this is what is kept and shown."""

from __future__ import annotations

from typing import cast

from langgraph.runtime import Runtime

from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.text import plural

from ...moment.state import WELL_ENDED, HealState, Question
from ...moment.unsettled import unsettled_in_program, unsettled_words
from ...moment.workspace import load_workspace
from ...suites.answers import only_said, only_said_words
from ...workshop.deps import Deps
from ...workshop.role_context import load_records
from ...workshop.trusted import doubts_about_part
from .offer import leave


async def conclude(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Keep the best program of an unhealed run; leave what was learnt for other sessions."""
    left_open = await _left_open(state, runtime.context)
    state = cast(HealState, {**state, **left_open})
    if state["outcome"] not in WELL_ENDED:
        update = _best(state)
        kept = cast(HealState, {**state, **update})
        if said := await _only_said(kept, runtime.context):
            update["reason"] = f"{kept['reason']} {said}".strip()
        return {**left_open, **update, "doubts": await _doubts(kept, runtime.context)}
    if state["policy"]["lessons"]:
        await leave(runtime, state)
    return left_open


async def _left_open(state: HealState, deps: Deps) -> HealState:
    """Return what the end asked about the program and nobody answered; an earlier such call becomes a doubt."""
    if not (state.get("green") and (ref := state.get("question_ref"))):
        return {}
    unsettled, earlier = unsettled_in_program(cast(Question, await deps.blobs.get(ref))), state.get("unsettled")
    if unsettled is None or (earlier and earlier["call"] == unsettled["call"]):
        return {}
    doubts = [*state.get("doubts", []), *([unsettled_words(earlier)] if earlier else [])]
    reason = f"{state['reason']} {unsettled_words(unsettled)}".strip()
    return {"unsettled": unsettled, "doubts": doubts, "reason": reason}


async def _only_said(state: HealState, deps: Deps) -> str:
    """Say what the human said, where the program that is kept fails nothing else; empty elsewhere."""
    answers, ref = state.get("answers"), state.get("report_ref")
    if not answers or not ref:
        return ""
    report = cast(SuiteReport, await deps.blobs.get(ref))
    workspace = await load_workspace(deps.blobs, state)
    failing = [case["id"] for case in report["cases"] if case["outcome"] not in ("passed", "skipped")]
    return only_said_words(
        only_said(failing, workspace.origins, answers, workspace.program_texts, workspace.test_texts),
        repaired=bool(state.get("changes")),
    )


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
        part = doubts_about_part(repair, several=len(workspace.program) > 1)
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
