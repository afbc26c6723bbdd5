"""Approve, edit, reject, stop: what each does to the run, and that nothing is lost between sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.errors import InputError, SessionError

from .driving import (
    BUGGY,
    DIAGNOSIS,
    FIXED,
    drain,
    options,
    repair_reply,
    script,
    shop_task,
    to_end,
    to_failure,
    to_repair,
    to_review,
)


async def test_search_heals_under_review(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.kind == "diagnosis" and asked.snapshot.diagnosis is not None
        assert asked.snapshot.diagnosis["evidence"][0]["file"] == "shop.py"
        asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        first = asked.snapshot.candidates["1"]
        assert first["fixes"] == ["test_shop.py::test_discount"] and first["breaks"] == []
        assert "-    return amount + discount\n" in first["diff"]
        ended = await to_end(session.decide(asked.checkpoint_id, review.approve()))
    assert ended.snapshot.outcome == "healed"
    assert ended.snapshot.program == {"shop.py": FIXED} and ended.snapshot.base == {"shop.py": BUGGY}


async def test_question_survives_closing(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
    (row,) = workbench.list_sessions()
    assert (row.outcome, row.waiting_for) == ("waiting", "diagnosis")
    async with workbench.open_session(session_id) as session:
        again = await to_review(session.resume())
    assert again == asked


async def test_edited_diagnosis_is_what_repairs_go_by(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS | {"cause": "Rounding."}},
        {"role": "repairer", "when": "The sign is wrong.", "reply": repair_reply(FIXED)},
    )
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        edited = review.edit(DIAGNOSIS | {"cause": "The sign is wrong."})
        asked = await to_review(session.decide(asked.checkpoint_id, edited))
    assert asked.snapshot.diagnosis is not None and asked.snapshot.diagnosis["by"] == "human"
    assert asked.snapshot.candidates["1"]["changes"] == {"shop.py": FIXED}


async def test_reason_of_a_rejection_reaches_the_next_attempt(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "when": "look at the {sign} $x", "reply": DIAGNOSIS | {"cause": "Second thought."}},
        {"role": "debugger", "reply": DIAGNOSIS | {"cause": "First thought."}},
        {"role": "repairer", "when": "use a minus", "reply": repair_reply(FIXED)},
        {"role": "repairer", "reply": repair_reply(BUGGY.replace("amount + discount", "amount"))},
    )
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        asked = await to_review(session.decide(asked.checkpoint_id, review.reject("look at the {sign} $x")))
        assert asked.kind == "diagnosis" and asked.snapshot.diagnosis is not None
        assert asked.snapshot.diagnosis["cause"] == "Second thought."
        asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        asked = await to_review(session.decide(asked.checkpoint_id, review.reject("use a minus")))
        assert asked.kind == "repair" and asked.snapshot.candidates["1"]["changes"] == {"shop.py": FIXED}
        assert asked.snapshot.iteration == 0


async def test_edited_repair_is_applied_as_the_human_wrote_it(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    own = FIXED.replace("amount - discount", "amount - discount  # less the discount")
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        ended = await to_end(session.decide(asked.checkpoint_id, review.edit({"changes": {"shop.py": own}})))
    assert ended.snapshot.program == {"shop.py": own} and ended.snapshot.outcome == "healed"
    assert ended.snapshot.records[0]["verdict"] == "edit"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (review.edit({"changes": {"shop.py": "def total(:\n"}}), "does not parse, line 1"),
        (review.edit({"changes": {"test_shop.py": ""}}), "may not be changed"),
        (review.edit({}), "must map at least one path"),
        (review.reject("  "), "needs a reason"),
        (review.approve(pick="9"), "no candidate '9'"),
    ],
)
async def test_unusable_answers_leave_the_question_open(
    workbench: Workbench, answer: review.Answer, words: str
) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        with pytest.raises(InputError, match=words):
            await drain(session.decide(asked.checkpoint_id, answer))
        assert await to_repair(session, session.resume()) == asked


async def test_stop_ends_unhealed_and_keeps_the_code(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        ended = await to_end(session.decide(asked.checkpoint_id, review.stop()))
    assert (ended.snapshot.outcome, ended.snapshot.program) == ("stopped", {"shop.py": BUGGY})


async def test_second_driver_is_refused_and_told_who_drives(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id):
        with pytest.raises(SessionError, match=r"open in another selfheal \(process \d+ on .+\)"):
            async with workbench.open_session(session_id):
                pass
        with pytest.raises(SessionError):
            await workbench.delete_session(session_id)
    assert [row.session_id for row in workbench.list_sessions()] == [session_id]


async def test_full_autonomy_gives_up_within_its_iterations(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(BUGGY.replace("amount = 0", "amount = 1"))},
    )
    session_id = await workbench.create(shop_task(), options(model, "full_auto", 3))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
    assert (ended.snapshot.outcome, ended.snapshot.iteration) == ("gave_up", 3)
    assert ended.snapshot.program == {"shop.py": BUGGY}


@pytest.mark.parametrize(
    ("tests", "words"),
    [
        (
            "import nothere\nfrom shop import total\n\n\ndef test_t():\n    assert total([], 0) == 0\n",
            "The tests need `nothere`, which the interpreter that runs them lacks",
        ),
        ("VALUE = 3\n", "no test was found"),
    ],
)
async def test_tests_that_cannot_run_are_bad_input_not_failing_code(
    workbench: Workbench, tests: str, words: str
) -> None:
    session_id = await workbench.create(shop_task(tests=tests), options())
    async with workbench.open_session(session_id) as session:
        failed = await to_failure(session.resume())
    assert failed.error.exit_code == 2 and words in failed.error.message
    (row,) = workbench.list_sessions()
    assert row.outcome == "failed" and words in row.reason
