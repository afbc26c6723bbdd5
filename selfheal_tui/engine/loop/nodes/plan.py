"""Node: choose which strategies compete in this round, and see that there is a budget for them."""

from __future__ import annotations

from typing import cast

from langgraph.runtime import Runtime

from selfheal_tui.setting_values import SEARCH

from ...moment.state import STRATEGIES, Diagnosis, HealState
from ...workshop.deps import Deps
from ...workshop.heard import heard_notes
from ...workshop.kept_search import hints_of, kept_for, only_search_repairs
from .common import out_of_budget, report_of
from .not_code import not_code_words

BLIND = "blind retry"
OF_TEST = "test"


async def plan(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """A suspected test gets its own strategy, a doubtful diagnosis a blind retry, a repetition another strategy."""
    diagnosis = cast(Diagnosis, await runtime.context.blobs.get(state["diagnosis_ref"]))
    chosen = strategies(state, diagnosis)
    if chosen != [OF_TEST] and diagnosis["by"] == "human" and diagnosis["fault"] != "code":
        report = await report_of(state, runtime.context)
        return {"outcome": "gave_up", "reason": not_code_words(diagnosis["fault"], report, bool(state.get("suites")))}
    # What the diagnosis has already searched for costs nothing more, whatever limit it has reached.
    is_paid = chosen == [SEARCH] and await kept_for(state, runtime.context, hints_of(diagnosis)) is not None
    if not is_paid and (stop := await out_of_budget(state, runtime.context, "plan")):
        return stop
    heard: HealState = {} if chosen == [SEARCH] else await heard_notes(state, runtime, "plan", "repairer")
    return {
        "round": chosen,
        "attempt": state.get("attempt", 0) + 1,
        "budget_ref": "",
        "candidates": {},
        "question_ref": "",
        "again": False,
        "proposed": None,  # type: ignore[typeddict-item]
        "failures": None,  # type: ignore[typeddict-item]
        **heard,
    }


def strategies(state: HealState, diagnosis: Diagnosis) -> list[str]:
    """Return the strategies of a round. Pure."""
    policy = state["policy"]
    if only_search_repairs(state):
        return [SEARCH]
    if diagnosis["fault"] in ("test", "spec") and state.get("suites"):
        return [OF_TEST]
    chosen = list(policy["strategies"])
    if diagnosis["confidence"] < policy["min_confidence"] and diagnosis["by"] != "human":
        return [BLIND, *(s for s in chosen if s == SEARCH)]
    if state.get("repeats", 0):
        # What was asked brought only known programs: ask differently.
        others = [s for s in STRATEGIES if s not in chosen]
        return others[:1] or chosen
    return chosen
