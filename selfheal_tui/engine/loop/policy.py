"""Who decides: what each autonomy, and each rule the human has given, answers in the human's place. Pure."""

from __future__ import annotations

from ..moment.review import Decision
from ..moment.state import HealState, Rule


def accept_unseen(state: HealState) -> Decision | None:
    """Approve first code, generated tests and the end unless every review is the human's."""
    return None if state["autonomy"] == "review_all" else decided("approve")


def accept_end(state: HealState) -> Decision | None:
    """Approve the end unless every review is the human's, or they wanted doubts and there is one."""
    return None if state.get("question_ref") and may_doubt(state) else accept_unseen(state)


def may_doubt(state: HealState) -> bool:
    """Tell whether the human may be asked about a program that passes every case."""
    wanted = state["policy"]["critic"]
    return wanted != "off" and (
        state["autonomy"] == "review_all" or (wanted == "on" and state["autonomy"] == "review_repairs")
    )


def accept_diagnosis(state: HealState) -> Decision | None:
    """Approve a diagnosis in full autonomy; else leave it to the human."""
    return decided("approve") if state["autonomy"] == "full_auto" else None


def accept_repair(state: HealState) -> Decision | None:
    """Approve what a rule covers; in full autonomy approve what helps and reject what does not.

    What helps but may be a coincidence ends the run: its candidates are there for a person.
    """
    if rule := fitting_rule(state):
        return decided("approve", by=rule["name"])
    if state["autonomy"] != "full_auto":
        return None
    if state.get("gain", 0) > 0:
        if not (why := state.get("withheld", "")):
            return decided("approve")
        if label := state.get("unseen", ""):
            return decided("approve", pick=label)
        return decided(
            "stop", f"No repair was sure enough to be taken unseen; candidate 1 is ready for you to decide. {why}"
        )
    return decided("reject", "In the rehearsal this repair did not make more cases pass.")


def accept_budget(state: HealState) -> Decision | None:
    """End at a used-up budget in full autonomy; else let the human raise it."""
    return decided("reject") if state["autonomy"] == "full_auto" else None


def accept_stall(state: HealState) -> Decision | None:
    """End a loop that repeats itself in full autonomy; else ask the human."""
    return decided("reject") if state["autonomy"] == "full_auto" else None


def fitting_rule(state: HealState) -> Rule | None:
    """Return the rule that covers the first-ranked repair: it mends every case, breaks none and is small enough.

    A change of a test is never covered: tests say what is right. Nor is one that may be a coincidence.
    """
    lines = state.get("clean_lines", 0)
    return next((rule for rule in state.get("rules", []) if 0 < lines <= rule["max_lines"]), None)


def with_rule(rules: list[Rule], max_lines: int) -> list[Rule]:
    """Add a rule; a wider one takes the place of narrower ones."""
    wider = [rule for rule in rules if rule["max_lines"] > max_lines]
    if any(rule["max_lines"] == max_lines for rule in rules):
        return rules
    number = max((int(rule["name"].split()[-1]) for rule in rules), default=0) + 1
    return [*wider, {"name": f"rule {number}", "max_lines": max_lines}]


def decided(verdict: str, note: str = "", by: str = "policy", pick: str = "") -> Decision:
    """Make a decision that nobody was asked for."""
    return {"verdict": verdict, "value_ref": "", "pick": pick, "note": note, "by": by}  # type: ignore[typeddict-item]
