"""Where the loop goes on: pure functions of the state, as a fork evaluates them without a Runtime."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from langgraph.types import Send

from selfheal_tui.setting_values import SEARCH

from ..moment.state import HealState

_END = "conclude"


def entry(state: HealState) -> str:
    """Spec mode writes tests and code first."""
    if state["mode"] == "spec":
        return "write_spec_tests"
    return "write_adversarial_tests" if adversary_reads(state) else "run_suite"


def unless_ended(node: str) -> Callable[[HealState], str]:
    """Go on to `node` unless an outcome was named."""

    def route(state: HealState) -> str:
        return _END if state.get("outcome") else node

    return route


def after_tests(state: HealState) -> str:
    """Rejected tests are written afresh; accepted ones (or none) are followed by the code, or by their run."""
    if state.get("outcome"):
        return _END
    written = state.get("written", "")
    if _rejected(state):
        return "write_adversarial_tests" if written == "adversarial" else "write_spec_tests"
    return "generate" if state["mode"] == "spec" and not state.get("changes") else "run_suite"


def after_code(state: HealState) -> str:
    """Rejected code is written afresh; accepted code meets its hostile reader, where one is wanted."""
    if state.get("outcome"):
        return _END
    if _rejected(state):
        return "generate"
    return "write_adversarial_tests" if adversary_reads(state) else "run_suite"


def after_run(state: HealState) -> str:
    """A failing suite is diagnosed, a passing one criticised."""
    if state.get("outcome"):
        return _END
    if state.get("green"):
        return "critique"
    return "plan" if state.get("again") and state.get("diagnosis_ref") else "diagnose"


def after_diagnose(state: HealState) -> str:
    """Without the means for a diagnosis, ask for more."""
    if state.get("outcome"):
        return _END
    return "review_budget" if state.get("budget_ref") else "review_diagnosis"


def after_diagnosis(state: HealState) -> str:
    """A rejected diagnosis is made afresh, with the reason."""
    if state.get("outcome"):
        return _END
    return "diagnose" if _rejected(state) else "plan"


def after_plan(state: HealState) -> str | Sequence[Send]:
    """Every strategy of the round works side by side."""
    if state.get("outcome"):
        return _END
    if state.get("budget_ref"):
        return "review_budget"
    return [Send("propose", {**state, "strategy": strategy}) for strategy in state["round"]]


def after_rank(state: HealState) -> str:
    """Nothing to review: a new diagnosis; nothing new twice: the human is asked."""
    if state.get("outcome"):
        return _END
    if state.get("candidates"):
        return "review_repair"
    return "review_stalled" if state.get("repeats", 0) > 1 else "diagnose"


def after_apply(state: HealState) -> str:
    """A repair rejected by the human is proposed afresh; one that did not help asks for a new diagnosis."""
    if state.get("outcome"):
        return _END
    if state.get("again") or not _rejected(state):
        return "run_suite"
    decision = state.get("decision")
    return "plan" if decision and decision["by"] == "human" else "diagnose"


def after_critique(advisors: Sequence[str]) -> Callable[[HealState], str]:
    """A confirmed objection has become a case: the suite runs again. Else on to the advice, where any is wanted."""

    def route(state: HealState) -> str:
        if state.get("outcome"):
            return _END
        return next_advisor(advisors)(state) if state.get("green") else "run_suite"

    return route


def next_advisor(left: Sequence[str]) -> Callable[[HealState], str]:
    """Go on to the first of these advisory nodes that the run's policy names, else to the end."""

    def route(state: HealState) -> str:
        return next((name for name in left if name in state["policy"]["advisors"]), "review_end")

    return route


def after_end(state: HealState) -> str:
    """The human may find fault with what passes every case, or say what a call should give."""
    if state.get("outcome"):
        return _END
    return "diagnose" if _rejected(state) else "apply"


def after_stalled(state: HealState) -> str:
    """Told to go on, the loop looks at the failure afresh."""
    return _END if state.get("outcome") else "diagnose"


def after_budget(state: HealState) -> str:
    """With room again, on to what was about to run."""
    return _END if state.get("outcome") else state["budget_next"]


def adversary_reads(state: HealState) -> bool:
    """Tell whether tests by a hostile reader of the code are wanted, possible and not written yet."""
    models, wanted = state["models"], state["policy"]["adversary"]
    possible = (models.get("adversary") or models["*"]) != SEARCH and "adversarial" not in state.get("suites", {})
    return possible and (wanted == "on" or (wanted == "auto" and state["mode"] == "spec"))


def _rejected(state: HealState) -> bool:
    decision = state.get("decision")
    return bool(decision and decision["verdict"] == "reject")
