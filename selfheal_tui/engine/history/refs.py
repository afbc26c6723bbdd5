"""Which bodies a state names, and which bodies those name: what `sessions check` walks. Pure.

A new `_ref` in HealState, Manifest or Record belongs here: a test compares this with the fields of HealState.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, cast

from ..moment.state import Record, iteration_of

Kind = Literal["leaf", "manifest", "record"]
"""Whether a body names others."""


class Named(NamedTuple):
    """A ref with the words for what it is."""

    words: str
    ref: str
    kind: Kind = "leaf"


_SINGLE = {
    "spec_ref": "the specification",
    "recent_ref": "the lines that were changed lately",
    "set_aside_ref": "the list of what was set aside",
    "report_ref": "the suite's report",
    "diagnosis_ref": "the diagnosis",
    "debug_ref": "the debugger's steps",
    "inquiries_ref": "the earlier diagnoses",
    "suspects_ref": "the suspicious lines",
    "search_ref": "what the search found",
    "ever_passed_ref": "the list of cases that ever passed",
    "objection_ref": "the critic's objection",
    "question_ref": "the question that is asked",
    "budget_ref": "the budget that is asked about",
}
_MAPPED = {
    "changes": "the program file {}",
    "suites": "the generated tests ({})",
    "proposed": "the proposed repair {}",
    "candidates": "the candidate {}",
    "advice": "the advice of {}",
}


def state_refs(state: Mapping[str, Any]) -> Iterator[Named]:
    """Yield what a state, or a part of one, names."""
    for name, words in _SINGLE.items():
        if state.get(name):
            yield Named(words, state[name])
    for name, words in _MAPPED.items():
        for key, ref in (state.get(name) or {}).items():
            yield Named(words.format(key), ref)
    if state.get("manifest_ref"):
        yield Named("the list of the files as given", state["manifest_ref"], "manifest")
    if state.get("head"):
        yield Named("the record of a reviewed repair", state["head"], "record")
    if best := state.get("best"):
        yield Named("the report of the best program", best["report_ref"])
        for path, ref in best["changes"].items():
            yield Named(f"the best program's file {path}", ref)
    for group in state.get("healed_groups") or ():
        for path, ref in group["changes"].items():
            yield Named(f"the file {path} once a group was healed", ref)
    if decision := state.get("decision"):
        yield from decision_refs(decision)


def decision_refs(decision: Mapping[str, Any]) -> Iterator[Named]:
    """Yield what a decision names."""
    if decision.get("value_ref"):
        yield Named("the edit that was decided", decision["value_ref"])
    for path, ref in (decision.get("changes") or {}).items():
        yield Named(f"the edited file {path}", ref)


def question_refs(question: Mapping[str, Any]) -> Iterator[Named]:
    """Yield what a ReviewRequest names."""
    if question.get("proposal_ref"):
        yield Named(f"what is proposed ({question.get('kind', '')})", question["proposal_ref"])
    for name, ref in (question.get("evidence_refs") or {}).items():
        if ref:
            yield Named(f"the evidence ({name})", ref)


def body_refs(kind: Kind, body: Mapping[str, Any]) -> Iterator[Named]:
    """Yield what a body names."""
    if kind == "manifest":
        for path, ref in body["files"].items():
            yield Named(f"the file {path} as given", ref)
    elif kind == "record":
        iteration = iteration_of(cast(Record, body))
        yield Named(f"the repair of iteration {iteration}", body["repair_ref"])
        yield Named(f"the changes of iteration {iteration}", body["changes_ref"])
        if body["prev"]:
            yield Named("the record of an earlier repair", body["prev"], "record")
