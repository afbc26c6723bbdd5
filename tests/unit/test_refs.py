"""Every ref that a state holds is known to the check of a session."""

from __future__ import annotations

from typing import Any, get_type_hints

from selfheal_tui.engine.history.refs import body_refs, decision_refs, question_refs, state_refs
from selfheal_tui.engine.moment.state import HealState

NO_REFS = {"failures", "models"}
"""Maps of text to text that are not refs."""


def test_every_ref_of_a_state_is_walked() -> None:
    hints = get_type_hints(HealState)
    single = {name for name in hints if name.endswith("_ref")} | {"head"}
    mapped = {name for name, kind in hints.items() if kind == dict[str, str]} - NO_REFS
    best = {"iteration": 0, "changes": {"p.py": "best p"}, "report_ref": "best report"}
    state: dict[str, Any] = {
        **{name: name for name in single},
        **{name: {"key": f"{name} key"} for name in mapped},
        "best": best,
        "decision": {"value_ref": "edited", "changes": {"p.py": "edited p"}},
    }
    found = {named.ref for named in state_refs(state)}
    assert found == single | {f"{name} key" for name in mapped} | {"best p", "best report", "edited", "edited p"}
    assert len({named.words for named in state_refs(state)}) == len(found), "each is told apart"


def test_an_empty_state_names_nothing() -> None:
    empty = {"head": "", "debug_ref": "", "candidates": None, "best": None, "decision": None}
    assert [*state_refs({}), *state_refs(empty), *decision_refs({}), *question_refs({}), *body_refs("leaf", {})] == []


def test_bodies_name_others() -> None:
    manifest = {"files": {"a.py": "1"}}
    record = {"prev": "2", "iteration": 3, "repair_ref": "4", "changes_ref": "5"}
    assert [named.ref for named in body_refs("manifest", manifest)] == ["1"]
    assert {(named.ref, named.kind) for named in body_refs("record", record)} == {
        *(("2", "record"), ("4", "leaf"), ("5", "leaf"))
    }
    asked = {"kind": "repair", "proposal_ref": "6", "evidence_refs": {"report": "7", "none": ""}}
    assert [named.ref for named in question_refs(asked)] == ["6", "7"]
