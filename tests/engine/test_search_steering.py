"""The embedded healer's diagnosis: one search for it and for the repair, and what the human steers it by."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selfheal_tui.engine.dialogue.roles.repairer import whole_place_first
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.attempts import attempt_number
from selfheal_tui.engine.moment.closed import still_closed
from selfheal_tui.engine.moment.events import Event, Noticed, ReviewRequested, RunFinished, SearchProgressed
from selfheal_tui.engine.moment.steering import UNREAD, avoid_words
from selfheal_tui.engine.session.commenting import commented_places
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.engine.workshop.trusted import taken_unseen
from selfheal_tui.errors import InputError
from selfheal_tui.search.blame import NOTHING_TO_EDIT
from selfheal_tui.ui.run.cards.panels import panel
from selfheal_tui.ui.view.model import RunModel, steps_to_rejection
from tests.ui.fakes import snapshot

from .driving import ANSWERS, drain, options, script, to_end, to_repair, to_review

PROGRAM = "def area(width, height):\n    width = width + 1\n    return width * height\n"
TESTS = """from prog import area


def test_two():
    assert area(2, 3) == 6


def test_one():
    assert area(1, 5) == 5
"""


def task(program: str = PROGRAM, tests: str = TESTS) -> Task:
    return Task("fix", "area", {"prog.py": program, "test_prog.py": tests}, ("prog.py",), ("test_prog.py",))


def searched(events: list[Event]) -> bool:
    return any(isinstance(event, SearchProgressed) for event in events)


def noticed(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Noticed)]


async def decided(
    session: Session, asked: ReviewRequested, answer: review.Answer
) -> tuple[list[Event], ReviewRequested]:
    events = await drain(session.decide(asked.checkpoint_id, answer))
    assert isinstance(events[-1], ReviewRequested), events[-1]
    return events, events[-1]


def lines_changed(asked: ReviewRequested) -> list[set[int]]:
    old = asked.snapshot.program["prog.py"].splitlines()
    texts = [repair["changes"]["prog.py"].splitlines() for repair in asked.snapshot.candidates.values()]
    return [{n for n, line in enumerate(old, 1) if line not in text} for text in texts]


async def test_the_diagnosis_says_what_edits_do_and_its_search_is_the_repair_s(workbench: Workbench) -> None:
    session_id = await workbench.create(task(), options("search"))
    async with workbench.open_session(session_id) as session:
        events = await drain(session.resume())
        asked = events[-1]
        assert isinstance(asked, ReviewRequested) and searched(events)
        diagnosis = asked.snapshot.diagnosis
        assert diagnosis is not None and "both failing cases pass" in diagnosis["cause"]
        assert {2, 3} <= {place["line"] for place in diagnosis["evidence"]}
        assert all("every case passes" in place["why"] for place in diagnosis["evidence"])
    async with workbench.open_session(session_id) as session:
        events, repair = await decided(session, asked, review.approve())
        assert not searched(events), "the search of the diagnosis is used, also after reopening"
        assert diagnosis["evidence"][0]["line"] in lines_changed(repair)[0]
        again, _ = await decided(session, asked, review.approve(note="again"))
        assert not searched(again), "also on another branch"


TWO_PLACES = "def width(n):\n    return n + 1\n\n\ndef area(a, b):\n    return width(a) * b\n"


async def test_places_that_the_diagnosis_has_searched_are_not_searched_again(workbench: Workbench) -> None:
    session_id = await workbench.create(task(TWO_PLACES), options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.snapshot.diagnosis is not None
        assert [place["line"] for place in asked.snapshot.diagnosis["evidence"]] == [2, 6]
        for place, line in (("1", 2), ("prog.py:2", 2), ("2", 6)):
            events = await drain(session.fork(asked.checkpoint_id, {"place": place}))
            repair = events[-1]
            assert isinstance(repair, ReviewRequested) and not searched(events), place
            assert lines_changed(repair)[0] == {line}, place
            said = any("has searched already: its repairs at line 6 of prog.py" in text for text in noticed(events))
            assert said == (place == "2"), "the first place is the diagnosis as it was"
        ended = await to_end(session.decide(repair.checkpoint_id, review.approve()))
        with pytest.raises(InputError, match="Every case passes at this moment"):
            await drain(session.fork(ended.snapshot.checkpoint_id, {"place": "prog.py:2"}))


async def test_a_line_at_which_no_edit_helps_is_named(workbench: Workbench) -> None:
    program = f"{TWO_PLACES}\n\ndef height():\n    return 3\n"
    session_id = await workbench.create(task(program), options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        diagnosis = asked.snapshot.diagnosis
        assert diagnosis is not None
        mine = {**diagnosis, "cause": "mine", "evidence": [{"file": "prog.py", "line": 10, "why": "it is here"}]}
        events, repair = await decided(session, asked, review.edit(mine))
        assert repair.snapshot.candidates
        assert (
            noticed(events)[-1] == "No edit at line 10 of prog.py was found that helps: the repairs are at other lines."
        )


@pytest.mark.deep
async def test_another_line_can_be_chosen(workbench: Workbench) -> None:
    session_id = await workbench.create(task(), options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.snapshot.diagnosis is not None
        other = asked.snapshot.diagnosis["evidence"][1]["line"]
        events, repair = await decided(session, asked, review.approve("2"))
        assert not searched(events), "the search of the diagnosis kept a repair of each place that it names"
        assert any("its repairs at line 3 of prog.py come first" in text for text in noticed(events))
        chosen = repair.snapshot.diagnosis
        assert chosen is not None and (chosen["by"], chosen["evidence"][0]["line"]) == ("human", other)
        assert lines_changed(repair)[0] == {other}
        with pytest.raises(InputError, match="no place '9'"):
            await drain(session.decide(asked.checkpoint_id, review.approve("9")))
        await session.branches.undo()
        assert (await session.snapshot(asked.checkpoint_id)).diagnosis == asked.snapshot.diagnosis


PARTS = """def half(number):
    return number // 3


def price(number):
    return number + 2
"""
PARTS_TESTS = """import pytest
from prog import half, price


@pytest.mark.parametrize("number", [8, 10, 20])
def test_half(number):
    assert half(number) == number / 2


def test_price():
    assert price(price(1)) == 3


def test_nothing_helps():
    assert half(10) == 1 and price(price(3)) == half
"""


@pytest.mark.deep
async def test_what_helps_at_the_chosen_line_leads_where_it_mends_less(workbench: Workbench) -> None:
    session_id = await workbench.create(task(PARTS, PARTS_TESTS), options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.snapshot.diagnosis is not None
        lines = [place["line"] for place in asked.snapshot.diagnosis["evidence"]]
        assert lines[0] == 2, "three cases against one"
        _, repair = await decided(session, asked, review.approve(str(lines.index(6) + 1)))
        assert 6 in lines_changed(repair)[0]
        assert 2 in set().union(*lines_changed(repair))


NO_COMMENT = """def without_comment(line):
    quoted = False
    for at, sign in enumerate(line):
        if sign == "'":
            quoted = not quoted
        elif sign == "#" and quoted:
            return line[:at]
    return line


UNITS = {"k": 1024, "m": 1024 ** 2, "g": 1024 ** 2}


def number(text):
    return int(text[:-1]) * UNITS[text[-1]]
"""
NO_COMMENT_TESTS = """from prog import number, without_comment


def test_comment():
    assert without_comment("a = 1 # one") == "a = 1 "


def test_quoted():
    assert without_comment("a = '#1'") == "a = '#1'"


def test_both():
    assert without_comment("b = '#' # two") == "b = '#' "


def test_units():
    assert number("2k") == 2048
    assert number("1g") == 1024 ** 3
"""


@pytest.mark.deep
async def test_the_edit_that_was_chosen_leads_though_it_has_rivals(workbench: Workbench) -> None:
    session_id = await workbench.create(task(NO_COMMENT, NO_COMMENT_TESTS), options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.snapshot.diagnosis is not None
        places = [(place["line"], place["why"]) for place in asked.snapshot.diagnosis["evidence"]]
        number, why = next((n, why) for n, (line, why) in enumerate(places, 1) if line == 6)
        assert why.startswith("`quoted` becomes `not quoted`: 3 of 4") and "⚠" in why
        _, repair = await decided(session, asked, review.approve(str(number)))
        assert repair.snapshot.candidates["1"]["summary"] == "line 6: `quoted` becomes `not quoted`"


def test_of_a_place_with_another_line_what_edits_both_leads() -> None:
    files = {"prog.py": "one\ntwo\nthree\n"}
    texts = ["one\n2\n3\n", "1\n2\nthree\n", "1\ntwo\nthree\n"]
    repairs: list[Any] = [{"changes": {"prog.py": text}, "at_chosen": True, "summary": ""} for text in texts]
    del repairs[-1]["at_chosen"]
    context: Any = SimpleNamespace(workspace=SimpleNamespace(files=files))
    also = [{"file": "prog.py", "line": 1, "edit": ""}]
    diagnosis: Any = {"evidence": [{"file": "prog.py", "line": 2, "why": "", "also": also}]}
    assert whole_place_first(repairs, context, diagnosis) == [repairs[1], repairs[0], repairs[2]]
    alone: Any = {"evidence": [{**diagnosis["evidence"][0], "also": []}]}
    assert whole_place_first(repairs, context, alone) == repairs
    why = "`two` becomes `2`, with line 1: every case passes"
    told: Any = {"evidence": [{**alone["evidence"][0], "why": why}]}
    repairs[1]["summary"] = "2 independent edits: line 1: `one` becomes `1`; line 2: `two` becomes `2`"
    assert whole_place_first(repairs, context, told) == [repairs[1], repairs[0], repairs[2]]


async def test_a_refused_line_is_left_alone_on_this_branch(workbench: Workbench) -> None:
    session_id = await workbench.create(task(), options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.snapshot.diagnosis is not None
        first = asked.snapshot.diagnosis["evidence"][0]["line"]
        events, second = await decided(session, asked, review.reject("", [f"line:prog.py:{first}"]))
        assert searched(events) and noticed(events) == []
        assert avoid_words(second.snapshot.avoid) == f"not line {first} of prog.py"
        assert second.snapshot.feedback == (f"not line {first} of prog.py",)
        assert second.snapshot.diagnosis is not None
        assert first not in {place["line"] for place in second.snapshot.diagnosis["evidence"]}
        repair = await to_repair(session, session.decide(second.checkpoint_id, review.approve()))
        assert repair.snapshot.candidates and not any(first in lines for lines in lines_changed(repair))
        assert (await session.snapshot(asked.checkpoint_id)).avoid == ()


BOTH = """def first(rows):
    return rows[1]


def top(rows):
    return first(sorted(rows))


def named(rows):
    return f"best: {first(rows)}"
"""
BOTH_TESTS = """from prog import named, top


def test_top():
    assert top([3, 1, 2]) == 1


def test_top_of_two():
    assert top([5, 4]) == 4


def test_named():
    assert named(["b", "a"]) == "best: b"


def test_named_one():
    assert named("x") == "best: x"
"""


async def test_what_was_refused_is_said_where_nothing_else_mends_all(workbench: Workbench) -> None:
    session_id = await workbench.create(task(BOTH, BOTH_TESTS), options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.snapshot.diagnosis is not None
        assert asked.snapshot.diagnosis["evidence"][0]["line"] == 2 and asked.snapshot.diagnosis.get("edits") == 1
        _, second = await decided(session, asked, review.reject("", ["function:first"]))
        for is_last in (False, True):
            shown = second.snapshot.diagnosis
            assert shown is not None and "edits" not in shown and shown.get("edits_refused") == 1
            assert "that were tried mends them all; what you rejected does." in shown["cause"]
            assert "edits were not tried, left out after your answers: not in first" in shown["cause"]
            if not is_last:
                line = shown["evidence"][0]["line"]
                _, second = await decided(session, second, review.reject("", [f"line:prog.py:{line}"]))


TWO_FAULTS = """def half(number):
    return number // 3


def price(number):
    return half(number) + 2
"""
TWO_FAULTS_TESTS = """from prog import half, price


def test_price_of_nothing():
    assert price(0) == 1


def test_price_of_one():
    assert price(1) == 1


def test_price_with_a_word():
    assert f"{price(0)} a piece" == "1 a piece"


def test_half():
    assert [half(4), half(5), half(9)] == [2, 2, 4]
"""


async def test_what_was_closed_for_one_fault_is_open_for_the_next_and_doubted(workbench: Workbench) -> None:
    session_id = await workbench.create(task(TWO_FAULTS, TWO_FAULTS_TESTS), options("search"))
    async with workbench.open_session(session_id) as session:
        first = await to_review(session.resume())
        asked = (await drain(session.fork(first.checkpoint_id, {"group": 1})))[-1]
        assert isinstance(asked, ReviewRequested) and asked.snapshot.turn and len(asked.snapshot.turn["cases"]) == 3
        _, closed = await decided(session, asked, review.reject("", ["function:half", "data"]))
        now = closed.snapshot
        assert avoid_words(still_closed(now.avoid, now.report)) == "not in half, not in tables of constants"
        repair = await to_repair(session, session.decide(closed.checkpoint_id, review.approve()))
        assert all(lines == {6} for lines in lines_changed(repair))
        following = await to_repair(session, session.decide(repair.checkpoint_id, review.approve()))
        now = following.snapshot
        assert now.turn and now.turn["cases"] == ["test_prog.py::test_half"]
        assert avoid_words(still_closed(now.avoid, now.report)) == "not in tables of constants"
        assert lines_changed(following)[0] == {2}
        marks = {mark["kind"]: mark["why"] for mark in following.snapshot.candidates["1"].get("marks", [])}
        assert marks["reopened"] == "For other failing cases your answers left this alone: not in half."
        assert taken_unseen(list(now.candidates.values()))[0] == "", "nobody takes it without looking"


@pytest.mark.deep
async def test_a_reason_for_refusing_is_answered(workbench: Workbench) -> None:
    session_id = await workbench.create(task(), options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.snapshot.diagnosis is not None
        line = asked.snapshot.diagnosis["evidence"][0]["line"]
        events, second = await decided(session, asked, review.reject("the width is right"))
        assert noticed(events) == [f"The search cannot read reasons; it goes by: not line {line} of prog.py."]
        repair = await to_repair(session, session.decide(second.checkpoint_id, review.approve()))
        refused = {text for one in repair.snapshot.candidates.values() for text in one["changes"].values()}
        events, other = await decided(session, repair, review.reject("too clever"))
        assert noticed(events) == [UNREAD] and searched(events)
        assert attempt_number(other.snapshot.records) == 2
        assert refused.isdisjoint(t for one in other.snapshot.candidates.values() for t in one["changes"].values())


async def test_where_everything_is_closed_the_run_ends_with_a_sentence(workbench: Workbench) -> None:
    session_id = await workbench.create(task(), options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        last = (await drain(session.decide(asked.checkpoint_id, review.reject("", ["function:area"]))))[-1]
        assert isinstance(last, RunFinished) and last.snapshot.outcome == "gave_up"
        assert last.snapshot.reason.startswith(
            "Nothing is left for the search to edit after your answers: not in area."
        )
        assert last.snapshot.diagnosis is None
        model = RunModel(timeline=await session.timeline(), committed=last.snapshot, outcome="gave_up")
        assert steps_to_rejection(model) == (3, 1)
        _, _, text, _ = panel(model, "s")
        assert "goes back to where you said so last" in text.plain and "selfheal sessions undo" not in text.plain
        with pytest.raises(InputError, match="no function 'nobody'"):
            await drain(session.decide(asked.checkpoint_id, review.reject("", ["function:nobody"])))
        with pytest.raises(InputError, match="with the rejection"):
            await drain(session.decide(asked.checkpoint_id, {**review.approve(), "avoid": ["data"]}))


async def test_a_function_that_was_refused_is_not_suspected(workbench: Workbench) -> None:
    """Nothing outside of it helps, so coverage speaks: of lines that are still open, and of what was left out."""
    program = PROGRAM + "\n\ndef twice(n):\n    return area(n, 2)\n"
    tests = "from prog import twice\n\n\ndef test_a():\n    assert [twice(n) for n in (1, 5, 9)] == [2, 10, 18]\n"
    session_id = await workbench.create(task(program, tests), options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        _, second = await decided(session, asked, review.reject("", ["function:area"]))
        diagnosis = second.snapshot.diagnosis
        assert diagnosis is not None
        assert {place["line"] for place in diagnosis["evidence"]}.isdisjoint({1, 2, 3})
        if not diagnosis["cause"].startswith(("Line", "With")):
            assert "not tried, left out after your answers: not in area." in diagnosis["cause"]


@pytest.mark.deep
async def test_refusing_a_repair_can_close_data_to_the_search(workbench: Workbench) -> None:
    program = 'PRICES = {"tea": 3}\n\n\ndef cost(name, n):\n    return PRICES[name] * n + 1\n'
    tests = 'from prog import cost\n\n\ndef test_tea():\n    assert cost("tea", 1) == 3\n'
    session_id = await workbench.create(task(program, tests), options("search"))
    async with workbench.open_session(session_id) as session:
        repair = await to_repair(session, session.resume())
        _, other = await decided(session, repair, review.reject("", ["data"]))
        assert all(one["changes"]["prog.py"].startswith(program[:19]) for one in other.snapshot.candidates.values())


@pytest.mark.deep
async def test_the_time_of_a_search_is_counted_once_and_what_it_found_is_taken_when_it_is_used_up(
    workbench: Workbench,
) -> None:
    given = options("search")
    limits = {**given.limits, "max_time_s": 600.0}
    session_id = await workbench.create(task(), type(given)("full_auto", given.models, limits))  # type: ignore[arg-type]
    async with workbench.open_session(session_id) as session:
        healed = await to_end(session.resume())
        assert healed.snapshot.outcome == "healed"
        timeline = await session.timeline()
        moments = [await session.snapshot(checkpoint.id) for checkpoint in timeline]
        spent = {moment.node: moment.spent["time_s"] for moment in moments}
        assert spent["plan"] - spent["diagnose"] < 0.5 * spent["diagnose"]
        at = next(c.id for c in timeline if c.node == "diagnose")
        ended = await to_end(session.fork(at, {"max_time_s": 0.01}))
        assert ended.snapshot.outcome == "healed"


@pytest.mark.deep
async def test_a_model_s_diagnosis_leads_the_search_as_before(workbench: Workbench, tmp_path: Path) -> None:
    wrong = {**ANSWERS[0], "reply": {**ANSWERS[0]["reply"], "evidence": [{"file": "prog.py", "line": 3, "why": "x"}]}}
    given = options(script(tmp_path / "m.yaml", wrong))
    session_id = await workbench.create(
        task(), type(given)(given.autonomy, {**given.models, "repairer": "search"}, given.limits)
    )
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.snapshot.diagnosis is not None and asked.snapshot.diagnosis["by"] != "search"
        events, repair = await decided(session, asked, review.approve())
        assert searched(events) and repair.snapshot.candidates


async def test_a_reason_alone_against_two_lines_leaves_each_of_them_open(workbench: Workbench) -> None:
    both = Task("fix", "apart", APART, ("price.py", "stock.py"), ("test_all.py",))
    session_id = await workbench.create(both, options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.snapshot.diagnosis is not None
        assert [one["line"] for one in asked.snapshot.diagnosis["evidence"][0]["also"]] == [2]
        events, second = await decided(session, asked, review.reject("the stock is counted right"))
        words = "not price.py:2 and stock.py:2 in one repair"
        assert noticed(events) == [f"The search cannot read reasons; it goes by: {words}."]
        diagnosis = second.snapshot.diagnosis
        assert diagnosis is not None and diagnosis["evidence"]
        named = [
            {(p["file"], p["line"]), *((o["file"], o["line"]) for o in p.get("also", ()))}
            for p in diagnosis["evidence"]
        ]
        assert {("price.py", 2)} in named or {("stock.py", 2)} in named
        assert not any({("price.py", 2), ("stock.py", 2)} <= places for places in named)
        opened = await to_review(session.fork(second.checkpoint_id, {"avoid": "none"}))
        assert opened.snapshot.avoid == () and opened.snapshot.diagnosis is not None
        assert "also" in opened.snapshot.diagnosis["evidence"][0]


@pytest.mark.parametrize("program", ["", '"""Prices."""\nimport math\n'])
async def test_a_program_without_code_is_told_so(workbench: Workbench, program: str) -> None:
    tests = "import prog\n\n\ndef test_it():\n    assert prog.double(2) == 4\n"
    session_id = await workbench.create(task(program, tests), options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.snapshot.diagnosis is not None and asked.snapshot.diagnosis["strategy"] == NOTHING_TO_EDIT
        last = (await to_end(session.decide(asked.checkpoint_id, review.approve()))).snapshot
        assert last.outcome == "gave_up" and last.reason.startswith("The search edits code that is there, and this")


APART = {
    "price.py": "def price(n):\n    return n * 3\n",
    "stock.py": "def left(n):\n    return n + 1\n",
    "test_all.py": "from price import price\nfrom stock import left\n\n\n"
    "def test_price():\n    assert [price(1), price(4)] == [2, 8]\n\n\n"
    "def test_left():\n    assert [left(1), left(7)] == [0, 6]\n",
}


async def test_the_edits_of_a_refused_repair_of_several_files_are_still_offered_each(workbench: Workbench) -> None:
    both = Task("fix", "apart", APART, ("price.py", "stock.py"), ("test_all.py",))
    session_id = await workbench.create(both, options("search"))
    async with workbench.open_session(session_id) as session:
        repair = await to_repair(session, session.resume())
        assert set(repair.snapshot.candidates["1"]["changes"]) == {"price.py", "stock.py"}
        other = await to_repair(session, session.decide(repair.checkpoint_id, review.reject("", ["line:price.py:2"])))
        alone = [set(one["changes"]) for one in other.snapshot.candidates.values()]
        assert {"stock.py"} in alone, "it was no fault of this edit"
        assert "return n - 1" in other.snapshot.candidates["1"]["changes"]["stock.py"]


async def test_a_rejection_with_a_line_leaves_the_repairs_at_other_lines(workbench: Workbench) -> None:
    session_id = await workbench.create(task(), options("search"))
    async with workbench.open_session(session_id) as session:
        repair = await to_repair(session, session.resume())
        lines = lines_changed(repair)
        assert {3} in lines and {2} in lines
        (line,) = lines[0]
        await decided(session, repair, review.reject("", [f"line:prog.py:{line}"]))
        again = await to_repair(session, session.resume())
        kept = [one for one in lines if line not in one]
        there = {frozenset(one) for one in lines_changed(again)}
        assert there >= {frozenset(one) for one in kept}, "what does not touch the line was not refused"
        record = again.snapshot.records[0]
        assert record["verdict"] == "reject"
        assert len(record["refused"]) == len(record["keys"]) == sum(line in one for one in lines)


async def test_after_a_rejection_of_all_none_of_them_is_searched_again(workbench: Workbench) -> None:
    session_id = await workbench.create(task(), options("search"))
    async with workbench.open_session(session_id) as session:
        repair = await to_repair(session, session.resume())
        refused = [one["changes"] for one in repair.snapshot.candidates.values()]
        assert len(refused) > 1
        await decided(session, repair, review.reject("not so"))
        again = await to_repair(session, session.resume())
        assert len(again.snapshot.candidates) > 1
        assert not any(one["changes"] in refused for one in again.snapshot.candidates.values())
        first = again.snapshot.candidates["1"]
        assert "refused" in {mark["kind"] for mark in first["marks"]}, "it multiplies as the rejected one does"
        assert first["confidence"] <= 0.5


async def test_a_rejection_of_a_place_says_nothing_of_what_a_repair_does(workbench: Workbench) -> None:
    session_id = await workbench.create(task(), options("search"))
    async with workbench.open_session(session_id) as session:
        repair = await to_repair(session, session.resume())
        await decided(session, repair, review.reject("", ["line:prog.py:2"]))
        again = (await to_repair(session, session.resume())).snapshot
        assert again.records[0]["of_place"]
        kinds = {mark["kind"] for one in again.candidates.values() for mark in one.get("marks", [])}
        assert again.candidates and "refused" not in kinds


@pytest.mark.parametrize(
    ("new", "line", "closed"),
    [("a\nb\nnew\nc\n", 3, "line:p.py:3"), ("new\na\nb\nc\n", 1, "line:p.py:1"), ("a\nb\nc\nnew\n", 4, "line:p.py:3")],
)
def test_a_comment_on_a_line_that_is_put_in_closes_the_one_before_which_it_stands(
    new: str, line: int, closed: str
) -> None:
    proposed: Any = {"1": {"changes": {"p.py": new}}}
    asked = snapshot("c1", "review_repair", program={"p.py": "a\nb\nc\n"}, candidates=proposed)
    comment: Any = {"path": "p.py", "line": line, "text": "not so", "pick": "1"}
    assert commented_places(asked, [comment]) == [closed]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("test", "your own tests are never changed here. Correct test_prog.py::test_two and test_prog.py::test_one or"),
        ("spec", "You say that the specification is wrong: the code stays as it is."),
        ("environment", "You say that neither the code nor a test is wrong"),
    ],
)
async def test_where_the_human_says_that_the_code_is_right_none_is_edited(
    workbench: Workbench, fault: str, words: str
) -> None:
    session_id = await workbench.create(task(), options("search", "review_repairs"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.snapshot.diagnosis is not None
        mine = {**asked.snapshot.diagnosis, "fault": fault}
        ended = await to_end(session.decide(asked.checkpoint_id, review.edit(mine)))
    assert ended.snapshot.outcome == "gave_up" and words in ended.snapshot.reason
    assert not ended.snapshot.candidates and ended.snapshot.program == {"prog.py": PROGRAM}
