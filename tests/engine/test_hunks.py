"""A repair taken in part: what goes in, what the next attempts are told, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.hunks import left_before
from selfheal_tui.engine.moment.workspace import unified_diff
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.engine.workshop.role_context import load_records, tried_texts
from selfheal_tui.errors import InputError

from .driving import BUGGY, DIAGNOSIS, FIXED, drain, options, repair_reply, script, shop_task, to_repair, to_review

NOISY = FIXED.replace('"""Sum the prices, less the discount."""', '"""Sums up."""')
"""Two hunks: the docstring, and the repair."""
PART = BUGGY.replace('"""Sum the prices, less the discount."""', '"""Sums up."""')


def _model(tmp_path: Path) -> str:
    return script(
        tmp_path / "replies.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(NOISY)},
        {"role": "repairer", "when": ["Sums up."], "reply": repair_reply(FIXED)},
    )


async def test_only_the_hunks_taken_go_in_and_the_others_are_told(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(_model(tmp_path)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        answer = review.edit({"hunks": [1]}, "Only the words, for now.")
        await drain(session.decide(asked.checkpoint_id, answer))
        head = await session.head()
        assert head is not None
        snapshot = await session.snapshot(head)
        assert snapshot.program == {"shop.py": PART}
        record = snapshot.records[0]
        assert record["verdict"] == "edit"
        assert "-    return amount + discount" in record["declined"] and "Sums up" not in record["edit"].splitlines()[3]
        (lesson,) = snapshot.lessons
        assert lesson.startswith(
            "The human took only a part of the repair 'Subtract the discount.', declining, because"
        )
        assert "+    return amount - discount" in lesson
        ((words, _diff),) = tried_texts(await load_records(session._deps, await _head_record(session, head)))
        assert "the human declined:" in words and "+    return amount - discount" in words


async def test_what_was_left_out_is_marked_where_it_is_proposed_again(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await workbench.create(shop_task(), options(_model(tmp_path)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        again = await to_repair(session, session.decide(asked.checkpoint_id, review.edit({"hunks": [1]})))
        repair = (await session.snapshot(again.checkpoint_id)).candidates["1"]
        assert "discount" in repair["diff"]
        assert {"kind": "declined", "why": "You left this out of an earlier repair: line 6 of shop.py."} in repair[
            "marks"
        ]


TWO_FAULTS = """def price(number):
    return number - 2


def label(number):
    return "n" + str(number + 1)
"""
THEIR_TESTS = """from shop import label, price


def test_price():
    assert price(1) == 3
    assert price(5) == 7


def test_label():
    assert label(4) == "n4"
"""


A_TABLE = """TIERS = [(50, 10), (10, 5)]


def percent(quantity):
    for least, rate in TIERS:
        if quantity > least:
            return rate
    return 0


def label(number):
    return "n" + str(number + 1)
"""
ITS_TESTS = """from shop import label, percent


def test_percent():
    assert percent(10) == 5
    assert percent(60) == 10
    assert percent(9) == 0


def test_label():
    assert label(4) == "n4"
"""


@pytest.mark.parametrize(
    ("program", "tests", "taken", "most"),
    [(TWO_FAULTS, THEIR_TESTS, 1, 0.3), (A_TABLE, ITS_TESTS, 2, 0.5)],
    ids=["plain", "table"],
)
async def test_the_search_puts_what_was_left_out_last(
    workbench: Workbench, program: str, tests: str, taken: int, most: float
) -> None:
    task = Task("fix", "shop", {"shop.py": program, "test_shop.py": tests}, ("shop.py",), ("test_shop.py",))
    session_id = await workbench.create(task, options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        first = asked.snapshot.candidates["1"]
        assert first["diff"].count("\n-  ") == 2 and "parts" in first
        asked = await to_review(session.decide(asked.checkpoint_id, review.edit({"hunks": [taken]})))
        assert asked.kind == "diagnosis" and asked.snapshot.diagnosis is not None
        assert asked.snapshot.diagnosis["confidence"] <= most, "less likely than what was left out"
        held_back = "The search holds another edit for likelier, which you left out of an earlier repair: line "
        assert held_back in asked.snapshot.diagnosis["cause"]
        leads = asked.snapshot.diagnosis["evidence"][0]["why"]
        again = await to_repair(session, session.decide(asked.checkpoint_id, review.approve()))
        marks = [[mark["kind"] for mark in one.get("marks", [])] for one in again.snapshot.candidates.values()]
        assert ["declined" in kinds for kinds in marks] == sorted("declined" in kinds for kinds in marks)
        assert "held_back" in marks[0] and marks[0].count("held_back") == 1
        edit = again.snapshot.candidates["1"]["summary"].partition(": ")[2]
        assert edit and leads.startswith(edit), "the cause that was approved and the first repair are one edit"


def test_a_piece_is_known_again_by_its_lines() -> None:
    now = {"a.py": "x = 1\n\n\ny = 2\n"}
    declined = [unified_diff(now, {"a.py": "x = 1\n\n\ny = 3\n"})]
    moved = {"a.py": "z = 0\nx = 5\n\n\nif z:\n    y = 2\n"}
    assert left_before(declined, moved, {"a.py": moved["a.py"].replace("y = 2", "y = 3")}) == "line 6 of a.py"
    assert left_before(declined, moved, {"a.py": moved["a.py"].replace("y = 2", "y = 4")}) == ""
    assert left_before(declined, now, {"b.py": now["a.py"].replace("y = 2", "y = 3")}) == ""
    assert left_before([], now, {"a.py": "x = 1\n\n\ny = 3\n"}) == ""


def test_what_came_in_between_two_lines_is_not_what_comes_in_between_others() -> None:
    now = {"a.py": "a\nb\nc\nd\n"}
    left = [unified_diff(now, {"a.py": "a\nb\nnew\nc\nd\n"})]
    assert left_before(left, now, {"a.py": "a\nb\nnew\nc\nd\n"}) == "line 3 of a.py"
    assert left_before(left, now, {"a.py": "a\nb\nc\nnew\nd\n"}) == ""
    assert left_before(left, {"a.py": "a\nB\nc\nd\n"}, {"a.py": "a\nB\nnew\nc\nd\n"}) == "line 3 of a.py"


async def _head_record(session: object, head: str) -> str:
    state = await session._state_at(head)  # type: ignore[attr-defined]
    return str(state["head"])


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"hunks": [1, 2]}, "all the hunks"),
        ({"hunks": []}, "No hunk is taken"),
        ({"hunks": [7]}, "no hunk 7"),
        ({"hunks": "1"}, "list of whole numbers"),
        ({"hunks": [True]}, "list of whole numbers"),
        ({"hunks": [1], "changes": {}}, "go alone"),
    ],
)
async def test_a_choice_that_is_none_is_refused(
    workbench: Workbench, tmp_path: Path, value: dict[str, object], says: str
) -> None:
    session_id = await workbench.create(shop_task(), options(_model(tmp_path)))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        with pytest.raises(InputError, match=says):
            await drain(session.decide(asked.checkpoint_id, review.edit(value)))
        assert (await to_repair(session, session.resume())).checkpoint_id == asked.checkpoint_id
