"""What a decision does to the state: the same for a review node and for answering an old review again. Pure."""

from __future__ import annotations

from ...moment.review import Decision, ReviewKind
from ...moment.state import HealState, Rule

FEEDBACK_KEPT = 8
"""Reasons that reach the next attempt; the newest."""


def answered(kind: ReviewKind, state: HealState, decision: Decision) -> HealState:
    """Return what the review node `review_{kind}` writes once it has its decision."""
    update: HealState = {"decision": decision, "feedback": _feedback_after(state, decision)}
    if decision["verdict"] == "stop":
        return update | {"outcome": "stopped", "reason": f"Stopped by the user at the {kind}."}
    match kind, decision["verdict"]:
        case "diagnosis", "edit":
            update["diagnosis_ref"] = decision["value_ref"]
        case "tests", "edit":
            update["suites"] = {**state["suites"], state["written"]: decision["value_ref"]}
        case "code", "edit":
            update["changes"] = {**state.get("changes", {}), **decision.get("changes", {})}
        case "repair", "approve" if decision.get("rule_lines"):
            update["rules"] = with_rule(state.get("rules", []), decision["rule_lines"])
        case "end", "approve":
            update["outcome"] = "healed"
        case "end", "edit":
            # The right answer to the question: with it as a case no diagnosis stands.
            update |= {"green": False, "objection_ref": "", "diagnosis_ref": ""}
        case "end", "reject":
            update |= {"green": False, "objection_ref": ""}
        case "stalled", "reject":
            update |= {"outcome": "stalled", "reason": state.get("repeated", "")}
        case "stalled", _:
            update |= {"repeats": 0, "repeated": ""}
    return update


def with_rule(rules: list[Rule], max_lines: int) -> list[Rule]:
    """Add a rule; a wider one takes the place of narrower ones."""
    kept = [rule for rule in rules if rule["max_lines"] > max_lines]
    if any(rule["max_lines"] == max_lines for rule in rules):
        return rules
    number = max((int(rule["name"].split()[-1]) for rule in rules), default=0) + 1
    return [*kept, {"name": f"rule {number}", "max_lines": max_lines}]


def _feedback_after(state: HealState, decision: Decision) -> list[str]:
    notes = state.get("feedback", [])
    return [*notes, decision["note"]][-FEEDBACK_KEPT:] if decision["note"] and decision["by"] == "human" else notes
