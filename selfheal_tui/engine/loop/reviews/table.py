"""The seven review kinds: what each asks, what may be edited, and what a decision changes. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

from ...moment.review import Decision, ReviewKind
from ...moment.snapshot import Snapshot
from ...moment.state import HealState, is_as_given
from ...moment.steering import at_place, place_labels
from .. import policy
from .edit_checks import FOUND_OUT, NOT_EDITED, budget_problems, diagnosis_problems, file_problems, filled_diagnosis
from .spec import Body, EditSpec, ReviewSpec


def _changes(snapshot: Snapshot, edit: Mapping[str, Any]) -> Body:
    declined = {"declined": edit["declined"]} if edit.get("declined") else {}
    return {"changes": edit["changes"], **declined}


def _question(snapshot: Snapshot) -> Body:
    return {"question": snapshot.question} if snapshot.question else {}


def _edited_code(state: HealState, decision: Decision) -> HealState:
    if decision["verdict"] != "edit":
        return {}
    return {"changes": {**state.get("changes", {}), **decision.get("changes", {})}}


def _same_code(snapshot: Snapshot, pick: str, body: Body) -> bool:
    return {**snapshot.program, **body["changes"]} == snapshot.program


_CODE = ReviewSpec(
    "code",
    waits="The first code waits",
    instead=policy.accept_unseen,
    proposal=lambda snapshot, pick: {"files": dict(snapshot.program)},
    evidence=lambda snapshot: {"spec": snapshot.spec},
    update=_edited_code,
    edit=EditSpec(file_problems, _changes, as_proposed=_same_code, by_file=True),
    made_in=("generate",),
    afresh=lambda snapshot: ({"changes": {}, "decision": None}, "review_tests"),
)


def _edited_tests(state: HealState, decision: Decision) -> HealState:
    if decision["verdict"] != "edit":
        return {}
    return {"suites": {**state["suites"], state["written"]: decision["value_ref"]}}


_TESTS = ReviewSpec(
    "tests",
    waits="Tests that were written for this run wait",
    instead=policy.accept_unseen,
    proposal=lambda snapshot, pick: {"suite": snapshot.written, "files": dict(snapshot.suite_files)},
    evidence=lambda snapshot: {"spec": snapshot.spec, "thrown_out": list(snapshot.thrown_out)},
    update=_edited_tests,
    edit=EditSpec(
        file_problems,
        body=lambda snapshot, edit: {**snapshot.suite_files, **edit["changes"]},
        files=lambda snapshot, pick: snapshot.suite_files,
        as_proposed=lambda snapshot, pick, body: body == snapshot.suite_files,
    ),
    needs="written",
    made_in=("write_spec_tests", "write_adversarial_tests"),
    afresh=lambda snapshot: ({}, "__start__" if snapshot.written == "spec" else ""),
)


def _edited_diagnosis(state: HealState, decision: Decision) -> HealState:
    return {"diagnosis_ref": decision["value_ref"]} if decision["value_ref"] else {}


def _at_place(snapshot: Snapshot, pick: str) -> Body:
    return dict(at_place(snapshot.diagnosis, pick)) if snapshot.diagnosis is not None else {}


def diagnosis_at(snapshot: Snapshot, pick: str) -> Body:
    """Return the diagnosis as it is for the place that was picked."""
    return dict(snapshot.diagnosis or {}) if pick in ("", "1") else _at_place(snapshot, pick)


def edited_diagnosis(snapshot: Snapshot, edit: Mapping[str, Any]) -> Body:
    """Return what is stored of an edited diagnosis; what the search found out is nobody's to edit, and stays."""
    proposed: Mapping[str, Any] = snapshot.diagnosis or {}
    facts = {name: part for name, part in proposed.items() if name in FOUND_OUT}
    own = {name: part for name, part in edit.items() if name not in NOT_EDITED}
    body: Body = {**own, **facts, "by": "human"}
    if own["cause"] == proposed.get("cause"):
        body["cause_by"] = proposed.get("cause_by", proposed["by"])
    return body


def _same_diagnosis(snapshot: Snapshot, pick: str, body: Body) -> bool:
    proposed = {"disproof": "", **diagnosis_at(snapshot, pick)}
    own = {"disproof": "", **body}
    return all(own.get(name) == part for name, part in proposed.items() if name not in (*NOT_EDITED, "thought"))


_DIAGNOSIS = ReviewSpec(
    "diagnosis",
    waits="A diagnosis waits",
    instead=policy.accept_diagnosis,
    proposal=lambda snapshot, pick: dict(snapshot.diagnosis or {}),
    update=_edited_diagnosis,
    edit=EditSpec(
        diagnosis_problems,
        body=edited_diagnosis,
        filled=lambda snapshot, pick, value: filled_diagnosis(value, diagnosis_at(snapshot, pick)),
        as_proposed=_same_diagnosis,
        of_files=False,
    ),
    made_in=("diagnose",),
    afresh=lambda snapshot: ({}, "run_suite"),
    labels=lambda snapshot: place_labels(snapshot.diagnosis),
    picked=_at_place,
    steers=True,
)


def _repairs(snapshot: Snapshot, pick: str) -> Body:
    label = pick or next(iter(snapshot.candidates), "")
    candidates = {name: dict(repair) for name, repair in snapshot.candidates.items()}
    return {"label": label, "candidates": candidates, **_question(snapshot)}


def _files_of_repair(snapshot: Snapshot, pick: str) -> Collection[str]:
    repair = snapshot.candidates.get(pick or "1")
    return repair["changes"] if repair and repair.get("of_test") else snapshot.program


def _same_repair(snapshot: Snapshot, pick: str, body: Body) -> bool:
    repair = snapshot.candidates.get(pick or "1")
    now = {**snapshot.tests, **snapshot.program}
    return repair is not None and {**now, **body["changes"]} == {**now, **repair["changes"]}


def _approved_repair(state: HealState, decision: Decision) -> HealState:
    if decision["verdict"] == "approve" and decision.get("rule_lines"):
        return {"rules": policy.with_rule(state.get("rules", []), decision["rule_lines"])}
    return {}


_REPAIR = ReviewSpec(
    "repair",
    waits="A repair waits",
    instead=policy.accept_repair,
    proposal=_repairs,
    evidence=lambda snapshot: {
        "diagnosis": snapshot.diagnosis,
        **({"failures": dict(snapshot.failures)} if snapshot.failures else {}),
    },
    update=_approved_repair,
    edit=EditSpec(file_problems, _changes, _files_of_repair, _same_repair, in_hunks=True),
    made_in=("propose",),
    afresh=lambda snapshot: ({}, "review_diagnosis"),
    may_answer=True,
    may_rule=True,
    steers=True,
)


_BUDGET = ReviewSpec(
    "budget",
    waits="A budget waits",
    instead=policy.accept_budget,
    proposal=lambda snapshot, pick: dict(snapshot.budget or {}),
    edit=EditSpec(budget_problems, body=lambda snapshot, edit: dict(edit), of_files=False),
    needs_reason=False,
    choices=(
        'approve: as much again; edit, with {"max_tokens": N} in --value FILE: new limits;',
        "reject: end with the best code so far",
    ),
)


def _after_stalled(state: HealState, decision: Decision) -> HealState:
    if decision["verdict"] == "reject":
        return {"outcome": "stalled", "reason": state.get("repeated", "")}
    return {"repeats": 0, "repeated": ""}


_STALLED = ReviewSpec(
    "stalled",
    waits="The run repeats itself and waits",
    instead=policy.accept_stall,
    proposal=lambda snapshot, pick: {"reason": snapshot.repeated},
    evidence=lambda snapshot: {"diagnosis": snapshot.diagnosis},
    update=_after_stalled,
    afresh=lambda snapshot: ({}, "review_diagnosis"),
    needs_reason=False,
    choices=("approve: go on all the same; reject: end with the best code so far",),
)


def _after_end(state: HealState, decision: Decision) -> HealState:
    if decision["verdict"] == "approve":
        return {"outcome": "nothing_to_heal" if is_as_given(state) else "healed"}
    update: HealState = {"green": False, "objection_ref": ""}
    if decision["verdict"] == "edit":
        # The right answer to the question: with it as a case no diagnosis stands.
        update["diagnosis_ref"] = ""
    return update


_END = ReviewSpec(
    "end",
    waits="Every case passes; the end waits",
    instead=policy.accept_end,
    proposal=lambda snapshot, pick: {
        "reason": snapshot.reason,
        "objection": snapshot.objection,
        "opinions": list(snapshot.opinions),
        **_question(snapshot),
    },
    evidence=lambda snapshot: {"advice": dict(snapshot.advice)},
    update=_after_end,
    made_in=("critique",),
    afresh=lambda snapshot: ({}, "run_suite"),
    may_answer=True,
    choices=("approve: healed; reject: go on, with your reason",),
)

REVIEWS: Mapping[ReviewKind, ReviewSpec] = {
    spec.kind: spec for spec in (_CODE, _TESTS, _DIAGNOSIS, _REPAIR, _BUDGET, _STALLED, _END)
}


def waits_line(kind: str, decision: str = "your decision") -> str:
    """Say what waits: `A repair waits for your decision.`"""
    spec = REVIEWS.get(cast(ReviewKind, kind))
    return f"{spec.waits if spec else f'A {kind} waits'} for {decision}."
