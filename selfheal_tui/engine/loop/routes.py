"""Where the loop goes on: pure functions of the state, as a fork evaluates them without a Runtime.

What comes first is asked before LangGraph is there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from selfheal_tui.setting_values import SEARCH

from ..moment.state import HealState
from .own_advisors import OWN, own_names

_END = "conclude"


def entry(state: HealState) -> str:
    """Begin spec mode with tests and code, fix mode with a run of the tests."""
    if state.get("outcome"):
        return _END
    if state["mode"] == "spec":
        return "write_spec_tests"
    return "write_adversarial_tests" if adversary_reads(state) else "run_suite"


def unless_ended(node: str) -> Callable[[HealState], str]:
    """Go on to `node` unless an outcome was named."""

    def route(state: HealState) -> str:
        return _END if state.get("outcome") else node

    return route


def after_tests(state: HealState) -> str:
    """Write rejected tests afresh; after accepted ones, or none, write the code, or run them where it is there."""
    if state.get("outcome"):
        return _END
    written = state.get("written", "")
    if _rejected(state):
        return "write_adversarial_tests" if written == "adversarial" else "write_spec_tests"
    return "generate" if state["mode"] == "spec" and not state.get("changes") else "run_suite"


def after_code(state: HealState) -> str:
    """Write rejected code afresh; let the adversary read accepted code, where one is wanted."""
    if state.get("outcome"):
        return _END
    if _rejected(state):
        return "generate"
    return "write_adversarial_tests" if adversary_reads(state) else "run_suite"


def after_run(state: HealState) -> str:
    """Diagnose a failing suite, criticise a passing one."""
    if state.get("outcome"):
        return _END
    if state.get("green"):
        return "critique"
    return "plan" if state.get("again") and state.get("diagnosis_ref") else "diagnose"


def after_diagnose(state: HealState) -> str:
    """Ask for more budget where there was none for a diagnosis."""
    if state.get("outcome"):
        return _END
    return "review_budget" if state.get("budget_ref") else "review_diagnosis"


def after_diagnosis(state: HealState) -> str:
    """Make a rejected diagnosis afresh, with the reason."""
    if state.get("outcome"):
        return _END
    return "diagnose" if _rejected(state) else "plan"


def after_plan(state: HealState) -> str | Sequence[object]:
    """Start every strategy of the round side by side."""
    if state.get("outcome"):
        return _END
    if state.get("budget_ref"):
        return "review_budget"
    from langgraph.types import Send

    return [Send("propose", {**state, "strategy": strategy}) for strategy in state["round"]]


def after_rank(state: HealState) -> str:
    """Review what is new; without anything new diagnose again, the second time ask the human."""
    if state.get("outcome"):
        return _END
    if state.get("candidates"):
        return "review_repair"
    return "review_stalled" if state.get("repeats", 0) > 1 else "diagnose"


def after_apply(state: HealState) -> str:
    """Run the suite over an applied repair; after a rejection propose again (human) or diagnose again (policy)."""
    if state.get("outcome"):
        return _END
    if state.get("again") or not _rejected(state):
        return "run_suite"
    decision = state.get("decision")
    return "plan" if decision and decision["by"] == "human" else "diagnose"


def after_critique(advisors: Sequence[str]) -> Callable[[HealState], str]:
    """Run the suite again when a confirmed objection has become a case; else ask the advisory nodes that are wanted."""

    def route(state: HealState) -> str:
        if state.get("outcome"):
            return _END
        return next_advisor(advisors)(state) if state.get("green") else "run_suite"

    return route


def next_advisor(advisors: Sequence[str]) -> Callable[[HealState], str]:
    """Go on to the first of these advisory nodes that the run's policy names, else to the end."""

    def route(state: HealState) -> str:
        if state.get("outcome"):
            return _END
        wanted = {*state["policy"]["advisors"], *([OWN] if own_names(state["policy"]["advisors"]) else [])}
        return next((name for name in advisors if name in wanted), "review_end")

    return route


def after_end(state: HealState) -> str:
    """Diagnose anew what the human rejects; make a case of the right answer that they give."""
    if state.get("outcome"):
        return _END
    return "diagnose" if _rejected(state) else "apply"


def after_stalled(state: HealState) -> str:
    """Diagnose anew when the human says to go on."""
    return _END if state.get("outcome") else "diagnose"


def after_budget(state: HealState) -> str:
    """Go on to the node that was about to run."""
    return _END if state.get("outcome") else state["budget_next"]


def adversary_reads(state: HealState) -> bool:
    """Tell whether tests by a hostile reader of the code are wanted, possible and not written yet."""
    models, wanted = state["models"], state["policy"]["adversary"]
    possible = (models.get("adversary") or models["*"]) != SEARCH and "adversarial" not in state.get("suites", {})
    return possible and (wanted == "on" or (wanted == "auto" and state["mode"] == "spec"))


def _rejected(state: HealState) -> bool:
    decision = state.get("decision")
    return bool(decision and decision["verdict"] == "reject")
