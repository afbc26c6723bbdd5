"""The plan that an editor shows: the steps of one round, with what came of each. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from acp.helpers import plan_entry, update_plan
from acp.schema import AgentPlanUpdate, PlanEntry, PlanEntryPriority, PlanEntryStatus

from selfheal_tui.engine.moment.candidate_words import candidate_line
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.words import report_line
from selfheal_tui.text import outcome_word

from .markup import prose

_WRITE, _TESTS, _CAUSE, _REPAIR, _DECISION, _END = "write", "tests", "cause", "repair", "decision", "end"
_OF_NODE: Mapping[str, str] = {
    **dict.fromkeys(("write_spec_tests", "review_tests", "generate", "review_code", "write_adversarial_tests"), _WRITE),
    "run_suite": _TESTS,
    **dict.fromkeys(("diagnose", "review_diagnosis"), _CAUSE),
    **dict.fromkeys(("plan", "propose", "rank"), _REPAIR),
    **dict.fromkeys(("review_repair", "apply", "learn"), _DECISION),
    **dict.fromkeys(("critique", "security_review", "quality", "own_advice", "review_end", "conclude"), _END),
}
"""A node that is not named here, as a question about the budget, leaves the plan where it stands."""
_LONGEST = 300


class _Step(NamedTuple):
    stage: str
    todo: str
    priority: PlanEntryPriority


_STEPS = (
    _Step(_WRITE, "Write the code and its tests", "high"),
    _Step(_TESTS, "Run the tests", "high"),
    _Step(_CAUSE, "Find the cause", "high"),
    _Step(_REPAIR, "Find a repair", "high"),
    _Step(_DECISION, "Decide on the repair", "medium"),
    _Step(_END, "Every test passes", "medium"),
)


def stage_of(node: str) -> str:
    """Return the step that a node belongs to; empty for one that belongs to none."""
    return _OF_NODE.get(node, "")


def build_plan(snapshot: Snapshot, stage: str) -> AgentPlanUpdate:
    """Return the plan of the round that a moment lies in; `stage` is the step that runs or waits now."""
    steps = [step for step in _STEPS if step.stage != _WRITE or snapshot.mode == "spec"]
    order = [step.stage for step in steps]
    at = order.index(stage) if stage in order else 0
    is_over = bool(snapshot.outcome)
    entries = []
    for number, step in enumerate(steps):
        status: PlanEntryStatus = "completed" if is_over or number < at else "pending"
        if number == at and not is_over:
            status = "in_progress"
        words = _outcome(snapshot, step.stage, order[: at + 1])
        what = f"{step.todo}: {words}" if words and (status != "pending" or is_over) else step.todo
        entries.append(plan_entry(what, priority=step.priority, status=status))
    if is_over:
        end = f"{outcome_word(snapshot.outcome).capitalize()}: {prose(snapshot.reason, _LONGEST)}"
        return update_plan([*_done(entries, steps), plan_entry(end, priority="medium", status="completed")])
    if snapshot.iteration and stage != _END:
        first, *others = entries
        again = first.model_copy(update={"content": f"Round {snapshot.iteration + 1}. {first.content}"})
        return update_plan([again, *others])
    return update_plan(entries)


def _done(entries: list[PlanEntry], steps: list[_Step]) -> list[PlanEntry]:
    """Leave out the last step, in whose place the outcome stands."""
    return [entry for entry, step in zip(entries, steps, strict=True) if step.stage != _END]


def _outcome(snapshot: Snapshot, stage: str, reached: Collection[str]) -> str:
    """Say what came of a step, as Markdown; empty where nothing did yet."""
    if stage not in reached:
        return ""
    if stage == _TESTS and snapshot.report is not None:
        return prose(report_line(snapshot.report), _LONGEST)
    if stage == _CAUSE and snapshot.diagnosis is not None:
        return prose(snapshot.diagnosis["cause"], _LONGEST)
    if stage == _REPAIR and snapshot.candidates:
        first = next(iter(snapshot.candidates.values()))
        line = candidate_line(first, snapshot.program, snapshot.tests, recent=snapshot.recent).text
        more = f" (and {len(snapshot.candidates) - 1} more)" if len(snapshot.candidates) > 1 else ""
        return prose(line, _LONGEST) + more
    return ""
