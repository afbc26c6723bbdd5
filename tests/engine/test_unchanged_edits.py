"""An edit that leaves the proposal as it was is an approval, for every kind that can be edited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.loop.reviews.table import REVIEWS
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import ReviewRequested
from selfheal_tui.engine.moment.state import Diagnosis
from selfheal_tui.engine.moment.steering import at_place
from selfheal_tui.engine.moment.words import decision_line
from selfheal_tui.engine.out.export.markdown import markdown
from selfheal_tui.engine.out.tell import tell_story
from selfheal_tui.engine.session.deciding import checked_decision
from selfheal_tui.engine.session.edited_words import edited_words
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import load_task
from selfheal_tui.errors import InputError
from selfheal_tui.store.blobs import Blobs
from selfheal_tui.store.session_db import open_db
from tests.ui.fakes import DIAGNOSIS, snapshot

from .driving import FIXED, options, script, shop_task, to_review


def unchanged(asked: ReviewRequested) -> dict[str, Any]:
    """Return the proposal as an editor hands it back when nothing was typed."""
    snapshot = asked.snapshot
    match asked.kind:
        case "diagnosis":
            return dict(snapshot.diagnosis or {})
        case "tests":
            return {"changes": dict(snapshot.suite_files)}
        case "code":
            return {"changes": dict(snapshot.program)}
    return {"changes": {**snapshot.program, **snapshot.candidates["1"]["changes"]}}


async def newest_verdict(session: Session) -> tuple[str, str]:
    decisions = [c.decision for c in await session.timeline() if c.decision]
    return decisions[-1]["kind"], decisions[-1]["verdict"]


async def newest_line(session: Session) -> str:
    return decision_line([c.decision for c in await session.timeline() if c.decision][-1])


async def test_a_diagnosis_and_a_repair_handed_back_as_they_were_are_approved(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options(autonomy="review_all"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        for kind in ("diagnosis", "repair"):
            assert asked.kind == kind
            asked = await to_review(session.decide(asked.checkpoint_id, review.edit(unchanged(asked))))
            assert await newest_verdict(session) == (kind, "approve")
    assert [record["verdict"] for record in asked.snapshot.records] == ["approve"]
    assert asked.snapshot.records[0]["by"] == "human"


async def test_tests_and_code_handed_back_as_they_were_are_approved(workbench: Workbench, tmp_path: Path) -> None:
    tests = "from solution import total\n\n\ndef test_sum():\n    assert total([1, 2], 0) == 3\n"
    model = script(
        tmp_path / "m.yaml",
        {"role": "spec_tester", "reply": {"tests": tests}},
        {"role": "generator", "reply": {"code": FIXED}},
        {"role": "adversary", "reply": {"tests": tests.replace("test_sum", "test_again")}},
    )
    task = load_task([], [], "Write total(prices, discount).", [])
    session_id = await workbench.create(task, options(model, "review_all"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        for kind in ("tests", "code"):
            assert asked.kind == kind
            asked = await to_review(session.decide(asked.checkpoint_id, review.edit(unchanged(asked))))
            assert await newest_verdict(session) == (kind, "approve")


async def test_a_changed_letter_is_an_edit(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        value = {**unchanged(asked), "cause": "The discount is added."}
        await to_review(session.decide(asked.checkpoint_id, review.edit(value)))
        assert await newest_verdict(session) == ("diagnosis", "edit")
        assert await newest_line(session) == "edited by you: the cause"
        story = await tell_story(session, "main")
        assert "**Decision** on the diagnosis: edited (the cause) by the human" in markdown(story)


def edited(proposed: Diagnosis, pick: str = "", **changes: Any) -> tuple[dict[str, Any], str]:
    """Return what is stored of an edit of a diagnosis, and what is recorded as edited."""
    moment, spec = snapshot("c2", "diagnose", diagnosis=proposed), REVIEWS["diagnosis"].edit
    assert spec is not None
    body = spec.body(moment, {**(at_place(proposed, pick) if pick else proposed), **changes})
    return body, edited_words("diagnosis", moment, pick, body)


def test_an_edited_diagnosis_keeps_what_the_search_found_out_and_records_only_the_edit() -> None:
    found: Diagnosis = {**DIAGNOSIS, "edits": 2, "not_searched": ["tax.py"]}
    plain = {name: part for name, part in found.items() if name not in ("edits", "not_searched")}
    body, words = edited(found, cause="Mine.")
    assert words == "the cause" and body == {**found, "cause": "Mine.", "by": "human"}
    moment, spec = snapshot("c2", "diagnose", diagnosis=found), REVIEWS["diagnosis"].edit
    assert spec is not None and spec.body(moment, {**plain, "cause": "Mine."}) == body, "a form has no such fields"
    body, words = edited(found, strategy="Mine.")
    assert words == "the strategy" and body["cause_by"] == "search", "the cause is still the search's"
    assert edited({**body, "by": "human"}, confidence=1.0)[0]["cause_by"] == "search"  # type: ignore[typeddict-item]


async def test_an_edit_of_another_place_records_the_place_and_the_edit(tmp_path: Path) -> None:
    assert edited(DIAGNOSIS, "2", strategy="Mine.")[1] == "the place and the strategy"
    moment = snapshot("c2", "diagnose", diagnosis=DIAGNOSIS)
    same = review.edit(dict(at_place(DIAGNOSIS, "2")), pick="2")
    async with open_db(tmp_path / "s.db", create=True) as db:
        decision = await checked_decision(Blobs(db), "diagnosis", moment, same)
    assert (decision["verdict"], decision["pick"]) == ("approve", "2") and decision["value_ref"]


async def test_what_was_edited_of_tests_and_code_is_told(workbench: Workbench, tmp_path: Path) -> None:
    tests = "from solution import total\n\n\ndef test_sum():\n    assert total([1, 2], 0) == 3\n"
    model = script(
        tmp_path / "m.yaml",
        {"role": "spec_tester", "reply": {"tests": tests}},
        {"role": "generator", "reply": {"code": FIXED}},
        {"role": "adversary", "reply": {"tests": tests.replace("test_sum", "test_again")}},
    )
    task = load_task([], [], "Write total(prices, discount).", [])
    session_id = await workbench.create(task, options(model, "review_all"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        path, text = next(iter(asked.snapshot.suite_files.items()))
        edit = review.edit({"changes": {path: text.replace("== 3", "== 3.0")}})
        asked = await to_review(session.decide(asked.checkpoint_id, edit))
        assert await newest_line(session) == "edited by you: line 5 adds `.0`"
        path, text = next(iter(asked.snapshot.program.items()))
        asked = await to_review(
            session.decide(asked.checkpoint_id, review.edit({"changes": {path: text + "TAX = 1\n"}}))
        )
        assert await newest_line(session) == "edited by you: before line 7 adds `TAX = 1`"


async def test_fields_that_an_edit_of_a_diagnosis_leaves_out_stay_as_proposed(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        proposed = unchanged(asked)
        after = await to_review(session.decide(asked.checkpoint_id, review.edit({"cause": "The discount is added."})))
        assert await newest_line(session) == "edited by you: the cause"
        assert after.snapshot.diagnosis is not None
        for name in ("fault", "evidence", "confidence"):
            assert after.snapshot.diagnosis[name] == proposed[name]  # type: ignore[literal-required]
        with pytest.raises(InputError, match="The edit cannot be used"):
            await to_review(session.decide(asked.checkpoint_id, review.edit({})))
