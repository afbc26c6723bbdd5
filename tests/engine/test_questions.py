"""Where repairs that pass every case disagree the human is asked; the answer becomes a case and prunes them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

import pytest

from selfheal_tui.cli.result import build_result
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import ReviewRequested
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import Question, Repair, RivalAnswer, Unsettled, default_policy
from selfheal_tui.engine.moment.sureness import unsure_line
from selfheal_tui.engine.moment.unsettled import doubt_words, unsettled_by, unsettled_words
from selfheal_tui.engine.moment.words import decision_words
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.suites.answers import answer_problem, answers_suite, only_said
from selfheal_tui.engine.suites.test_cases import case_functions
from selfheal_tui.engine.task.task import Task
from selfheal_tui.engine.workshop.role_context import RoleContext
from selfheal_tui.errors import InputError

from .driving import drain, options, to_end, to_repair, to_review

PROGRAM = '''def fee(days):
    """Return the fee for so many days."""
    return days + 1
'''
TESTS = (
    "from fee import fee\n\n\ndef test_few():\n    assert fee(2) == 4\n\n\ndef test_none():\n    assert fee(0) == 0\n"
)


def fee_task() -> Task:
    return Task("fix", "fee", {"fee.py": PROGRAM, "test_fee.py": TESTS}, ("fee.py",), ("test_fee.py",))


@pytest.mark.deep
async def test_an_answer_becomes_a_case_and_prunes_the_repairs(workbench: Workbench) -> None:
    session_id = await workbench.create(fee_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        question = asked.snapshot.question
        assert asked.kind == "repair" and question is not None and len(question["answers"]) > 1
        with pytest.raises(InputError, match="is no Python value"):
            await drain(session.decide(asked.checkpoint_id, review.edit({"answer": "nine days"})))
        rare = question["answers"][-1]["text"]
        events = await drain(session.decide(asked.checkpoint_id, review.edit({"answer": rare})))
        last = events[-1]
        assert isinstance(last, ReviewRequested) and last.kind == "repair"
        assert last.snapshot.answers == ((question["call"], rare),)
        (path,) = [path for path, kind in last.snapshot.origins.items() if kind == "answers"]
        assert question["call"] in last.snapshot.tests[path]
        green = [r for r in last.snapshot.candidates.values() if r["report"]["verdict"] == "passed"]
        assert green, "what gave that answer is still there"
        ran = [case["id"] for case in green[0]["report"]["cases"]]
        assert any(case.startswith(path) for case in ran)
        assert last.snapshot.iteration == 0, "an answer is no iteration"
        sure = [one["confidence"] for one in last.snapshot.candidates.values() if "confidence" in one]
        assert sure and max(sure) <= 0.7, "the search was wrong of its first"
        nodes = [c.node for c in await session.timeline()]
        assert nodes.count("diagnose") == 1, "the diagnosis stands"
        again = await drain(session.decide(asked.checkpoint_id, review.approve()))
        assert again[-1].snapshot.branch == "approve-1"  # type: ignore[union-attr]


DAYS = '''"""Working days."""

from datetime import timedelta


def last_workday(day):
    """Return the last working day up to a day."""
    day -= timedelta(days=1)
    while day.weekday() > 4:
        day += timedelta(days=1)
    return day
'''
DAYS_TESTS = """from datetime import date

from days import last_workday


def test_last_workday():
    assert last_workday(date(2024, 3, 31)) == date(2024, 3, 29)
"""


@pytest.mark.deep
async def test_an_answer_may_be_a_date(workbench: Workbench) -> None:
    task = Task("fix", "days", {"days.py": DAYS, "test_days.py": DAYS_TESTS}, ("days.py",), ("test_days.py",))
    session_id = await workbench.create(task, options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        question = asked.snapshot.question
        assert question is not None and question["call"].startswith("last_workday(date(")
        assert all(answer["text"].startswith("datetime.date(") for answer in question["answers"])
        with pytest.raises(InputError, match="names Dote, which neither the program nor its tests define or import"):
            await drain(session.decide(asked.checkpoint_id, review.edit({"answer": "Dote(2024, 1, 2)"})))
        first = question["answers"][0]["text"]
        events = await drain(session.decide(asked.checkpoint_id, review.edit({"answer": first})))
        snapshot = events[-1].snapshot  # type: ignore[union-attr]
        (path,) = [path for path, kind in snapshot.origins.items() if kind == "answers"]
        assert f"assert {question['call']} == {first.removeprefix('datetime.')}" in snapshot.tests[path]
        green = [r for r in snapshot.candidates.values() if r["report"]["verdict"] == "passed"]
        assert green, "what gave that answer is still there"


@pytest.mark.deep
async def test_nothing_is_answered_where_nothing_was_asked(workbench: Workbench) -> None:
    tests = TESTS + "\n\ndef test_more():\n    assert [fee(n) for n in range(-50, 50)] == [*range(-100, 100, 2)]\n"
    task = Task("fix", "fee", {"fee.py": PROGRAM, "test_fee.py": tests}, ("fee.py",), ("test_fee.py",))
    session_id = await workbench.create(task, options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        if asked.snapshot.question is None:
            with pytest.raises(InputError, match="Nothing was asked"):
                await drain(session.decide(asked.checkpoint_id, review.edit({"answer": "1"})))


async def test_full_autonomy_says_which_other_repairs_pass_too(workbench: Workbench) -> None:
    program, tests = (
        "def area(w, h):\n    return w - h\n",
        "from geo import area\n\n\ndef test():\n    assert area(2, 2) == 4\n",
    )
    task = Task("fix", "geo", {"geo.py": program, "test_geo.py": tests}, ("geo.py",), ("test_geo.py",))
    session_id = await workbench.create(task, options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = (await to_end(session.resume())).snapshot
    assert ended.outcome == "healed" and ended.unsettled is not None
    assert re.search(r"pass(es)? every case too: with [^:]+ area\(", ended.reason)
    result = build_result(ended, session_id)
    doubt = result["doubts"][-1]
    assert doubt["call"] == ended.unsettled["call"] and len(doubt["values"]) > 1
    assert doubt["why"] in result["reason"]


async def test_an_answer_is_no_edit_of_the_repair(workbench: Workbench) -> None:
    session_id = await workbench.create(fee_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        await drain(session.decide(asked.checkpoint_id, review.edit({"answer": "2"})))
        (decision,) = (
            one.decision for one in await session.timeline() if one.decision and one.parent_id == asked.checkpoint_id
        )
        assert decision_words(decision) == "answered by you" and decision["answered"] == "2"
        await drain(session.decide(asked.checkpoint_id, review.edit({"answer": "1"})))
        assert "answer-1" in (await session.timeline()).branches, "it is another answer, on a branch of its own"
        undone = await session.branches.undo()
        assert undone is not None and undone.words == "your answer"


async def test_a_question_that_a_person_leaves_open_is_said_at_the_end(workbench: Workbench) -> None:
    session_id = await workbench.create(fee_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        assert asked.snapshot.question is not None
        ended = (await to_end(session.decide(asked.checkpoint_id, review.approve()))).snapshot
    assert ended.outcome == "healed" and ended.unsettled is not None
    assert ended.unsettled["call"] == asked.snapshot.question["call"]
    assert re.search(r"every case too: with [^:]+ fee\(", ended.reason)


@pytest.mark.parametrize(
    ("taken", "others", "repairs", "words"),
    [
        ("2", ["0"], 1, "1 other repair passes every case too: with it f(2) gives 0; now it gives 2."),
        (
            "3",
            ["2", "-1", "!KeyError"],
            4,
            "4 other repairs pass every case too: with them f(2) gives 2, -1 or raises KeyError; now it gives 3.",
        ),
        (
            "!",
            ["1"],
            2,
            "2 other repairs pass every case too: with them f(2) gives 1; now it does not end in time.",
        ),
    ],
)
def test_what_is_left_open_in_words(taken: str, others: list[str], repairs: int, words: str) -> None:
    assert unsettled_words({"call": "f(2)", "taken": taken, "others": others, "repairs": repairs}) == words
    of_program: Unsettled = {"call": "f(2)", "taken": "2", "others": ["0"], "repairs": 9, "of_program": True}
    assert unsettled_words(of_program) == (
        "No case says what f(2) gives: it gives 2 now, and gives 0 in 9 programs that pass every case "
        "too, one edit away."
    )


def test_only_a_known_disagreement_is_left_open() -> None:
    answers: list[RivalAnswer] = [
        {"text": "3", "repairs": 2, "share": 0.7},
        {"text": "2", "repairs": 1, "share": 0.29},
        {"text": "9", "repairs": 5, "share": 0.01},
    ]
    question: Question = {"call": "f(1)", "answers": answers}
    whole = cast(Repair, {"report": {"verdict": "passed"}, "answers": {"f(1)": "3"}})
    unsettled = unsettled_by(question, whole)
    assert unsettled == {"call": "f(1)", "taken": "3", "others": ["2", "9"], "repairs": 6, "passing": 7}
    assert unsettled_words(unsettled) == (
        "7 other repairs pass every case too: with 6 of them f(1) gives 2 or 9; now it gives 3."
    )
    assert unsettled_by(None, whole) is None
    assert unsettled_by(question, cast(Repair, {**whole, "answers": {}})) is None
    assert unsettled_by(question, cast(Repair, {**whole, "report": {"verdict": "failed"}})) is None


def test_answers_are_cases_of_the_module_that_defines_the_call() -> None:
    program = {"a.py": "X = 1\n", "src/pkg/b.py": "def f(x):\n    return x\n"}
    suite = answers_suite([["f(1)", "2"], ["f('')", "!ValueError"]], program, ["test_answers.py"])
    (path,) = suite
    assert path.startswith("test_answers") and "from pkg.b import f" in suite[path]
    assert "f(1)" in suite[path] and "ValueError" in suite[path]
    assert answers_suite([["g(1)", "2"]], program, []) == {}
    steps = "[bag := f(1), bag.put(2), bag.size()][-1]"
    (text,) = answers_suite([[steps, "2"], [steps.replace("2", "3"), "!KeyError"]], program, []).values()
    assert "    bag = f(1)\n    bag.put(2)\n    assert bag.size() == 2\n" in text, "as a person writes a test"
    assert "KeyError):\n        bag = f(1)\n        bag.put(3)\n        bag.size()\n" in text and ":=" not in text


@pytest.mark.parametrize(
    ("line", "call", "path"),
    [
        ("import clock", "clock.wait(2)", "clock.py"),
        ("import clock as c", "c.wait(2)", "clock.py"),
        ("from pkg import clock", "clock.wait(2)", "pkg/clock.py"),
        ("import pkg.clock", "pkg.clock.wait(2)", "pkg/clock.py"),
    ],
)
async def test_an_answer_about_a_call_by_its_module_is_a_case(line: str, call: str, path: str) -> None:
    program = {path: "def wait(n):\n    return n\n", "pkg/__init__.py": ""}
    tests = {"test_clock.py": f"{line}\n\n\ndef test_wait():\n    assert {call} == 2\n"}
    (text,) = answers_suite([[call, "2"]], program, [], tests).values()
    assert f"    {line}\n    assert {call} == 2\n" in text
    failing = ["test_answers.py::test_" + re.sub(r"\W+", "_", call).strip("_")]
    said = only_said(failing, {"test_answers.py": "answers"}, [[call, "2"]], program, tests)
    assert said == [f"{call} should be 2"]
    assert answers_suite([["other.wait(2)", "2"]], program, [], tests) == {}


@pytest.mark.parametrize(
    ("text", "fine"),
    [("[1, 2]", True), ("!KeyError", True), ("date(2024, 1, 8)", True), ("!", False), ("x + 1", False)],
)
def test_what_can_be_an_answer(text: str, fine: bool) -> None:
    assert (answer_problem(text) == "") == fine


GREEN = '''def fixed(text):
    """Return the text with each run of blanks as underscores, or as one dash where it is longer than two."""
    out, blanks = "", 0
    for letter in text + "x":
        if letter == " ":
            blanks += 1
        else:
            out += "-" if blanks > 2 else "_" * blanks
            out += letter
            blanks = 0
    return out[:-1].rstrip("_")
'''
GREEN_TESTS = (
    "from fixed import fixed\n\n\ndef test_one():\n    assert fixed('Example 1') == 'Example_1'\n\n\n"
    "def test_three():\n    assert fixed(' Example   3') == '_Example-3'\n"
)


def green_task() -> Task:
    return Task("fix", "fixed", {"fixed.py": GREEN, "test_fixed.py": GREEN_TESTS}, ("fixed.py",), ("test_fixed.py",))


def assert_said_open(ended: Snapshot, question: Question) -> None:
    """Check that a call whose question was approved without an answer is said wherever the end is told."""
    result = build_result(ended, "s")
    (doubt,) = [one for one in result["doubts"] if one["call"]]
    assert doubt["call"] == question["call"] and doubt["values"][0] == question["now"]
    assert f"No case says what {question['call']} gives: it gives" in result["reason"], "`sessions show` has it too"
    assert doubt_words(ended.doubts, ended.unsettled)[-1] == doubt["why"], "the app's card has it"


def right(call: str) -> str:
    """Return what a call of `fixed` should give."""
    text = GREEN.replace('.rstrip("_")', "")
    space: dict[str, object] = {}
    exec(text, space)
    return repr(eval(call, space))


@pytest.mark.deep
async def test_a_program_that_passes_every_case_is_asked_about_and_healed(workbench: Workbench) -> None:
    session_id = await workbench.create(green_task(), options(autonomy="review_all"))
    async with workbench.open_session(session_id) as session:
        last = (await drain(session.resume()))[-1]
        answers = 0
        while isinstance(last, ReviewRequested) and last.kind == "end":
            question = last.snapshot.question
            assert question is not None and answers < 3, "the cases do not settle what is at the end of a text"
            assert question["now"] in [answer["text"] for answer in question["answers"]]
            wanted = right(question["call"])
            answers += 1
            last = (await drain(session.decide(last.checkpoint_id, review.edit({"answer": wanted}))))[-1]
            assert isinstance(last, ReviewRequested)
            assert last.snapshot.answers[-1] == (question["call"], wanted)
            if wanted != question["now"]:
                break
        assert last.kind == "diagnosis", "the right answer is a case that fails"
        assert last.snapshot.iteration == 0
        nodes = [c.node for c in await session.timeline()]
        assert nodes.count("apply") == answers and nodes.count("diagnose") == 1
        asked = await to_repair(session, session.decide(last.checkpoint_id, review.approve()))
        assert asked.kind == "repair"
        last = (await drain(session.decide(asked.checkpoint_id, review.approve())))[-1]
        assert isinstance(last, ReviewRequested) and last.kind == "end"
        assert last.snapshot.report and last.snapshot.report["verdict"] == "passed"
        question = last.snapshot.question
        assert question is not None, "a call is still open"
        ended = (await to_end(session.decide(last.checkpoint_id, review.approve()))).snapshot
        assert ended.outcome == "healed"
        assert_said_open(ended, question)


@pytest.mark.deep
async def test_doubts_are_asked_only_where_the_human_decides_on_the_end(workbench: Workbench) -> None:
    for autonomy, critic, asks in (
        ("review_repairs", "on", True),
        ("review_repairs", "auto", False),
        ("review_all", "off", False),
        ("full_auto", "on", False),
    ):
        chosen = replace(options(autonomy=autonomy), policy={**default_policy(), "critic": critic})
        session_id = await workbench.create(green_task(), chosen)
        async with workbench.open_session(session_id) as session:
            last = (await drain(session.resume()))[-1]
            assert (last.snapshot.question is not None) == (critic != "off"), (autonomy, critic)  # type: ignore[union-attr]
            assert isinstance(last, ReviewRequested) == (asks or autonomy == "review_all")
            if isinstance(last, ReviewRequested) and last.snapshot.question:
                ended = (await to_end(session.decide(last.checkpoint_id, review.approve()))).snapshot
                assert ended.outcome == "nothing_to_heal"
                assert_said_open(ended, last.snapshot.question)


async def test_the_end_takes_no_edit_but_an_answer_to_what_is_asked(workbench: Workbench) -> None:
    chosen = replace(options(autonomy="review_all"), policy={**default_policy(), "critic": "off"})
    session_id = await workbench.create(green_task(), chosen)
    async with workbench.open_session(session_id) as session:
        asked = (await drain(session.resume()))[-1]
        assert isinstance(asked, ReviewRequested) and asked.kind == "end"
        for value, why in (({"answer": "1"}, "Nothing was asked"), ({"changes": {}}, "nothing to edit")):
            with pytest.raises(InputError, match=why):
                await drain(session.decide(asked.checkpoint_id, review.edit(value)))


def test_a_text_without_quotes_is_told_how_it_would_be_written() -> None:
    told = "is no Python value; write a text in quotes ('no'), an exception as !ValueError, and ? where you do not know"
    assert answer_problem("no") == told


@pytest.mark.parametrize(("text", "given"), [("1 / 3", "0.3333333333333333"), ("2*3 + -1", "5"), ("(1 + 2) // 2", "1")])
def test_a_calculation_is_told_what_it_gives(text: str, given: str) -> None:
    assert answer_problem(text) == f"is a calculation; write what it gives: {given}"


@pytest.mark.parametrize("text", ["1 / 0", "9 ** 99", "'a' * 3", "x + 1", "1" * 30 + "*" + "1" * 30])
def test_what_is_no_short_calculation_is_no_value(text: str) -> None:
    assert answer_problem(text).startswith("is no Python value")


CONTRADICTED = replace(fee_task(), files={"fee.py": PROGRAM.replace("+ 1", "* 1"), "test_fee.py": TESTS})
ONLY = "What still fails is only what you said: fee(2) should be 5. "
WRONG = "If it is wrong, undo it, or start again without it (--wrong)."
TAKEN = "A repair that was taken may be wrong: go back before it, and say it there (f). "


async def test_what_the_human_said_against_the_tests_is_named_and_nothing_else_is_blamed(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RoleContext, "search_time_s", 1.0)
    task = replace(CONTRADICTED, wrong=(("fee(2)", "5"),))
    session_id = await workbench.create(task, options(max_iterations=1))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        assert asked.kind == "diagnosis" and asked.snapshot.diagnosis
        assert ONLY + WRONG in asked.snapshot.diagnosis["cause"]
        asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        first = asked.snapshot.candidates["1"]
        assert first["against_said"] == ["fee(2) should be 5"]
        assert "only what you said yourself fails with it: fee(2) should be 5" in unsure_line(first)
        ended = await to_end(session.decide(asked.checkpoint_id, review.approve()))
        assert ended.snapshot.outcome == "gave_up"
        assert ended.snapshot.reason.endswith(ONLY + TAKEN + WRONG)


@pytest.mark.parametrize(
    ("failing", "said"),
    [
        (["a.py::test_fee_2"], ["fee(2) should be 5"]),
        (["a.py::test_fee_2", "a.py::test_c_rate"], ["fee(2) should be 5", "c.rate() (after c = C(2)) should raise E"]),
        (["a.py::test_fee_2", "t.py::test_few"], []),
        ([], []),
    ],
)
def test_only_what_the_human_said_fails(failing: list[str], said: list[str]) -> None:
    program = {"fee.py": PROGRAM, "c.py": "class C:\n    pass\n"}
    answers = [("fee(2)", "5"), ("[c := C(2), c.rate()][-1]", "!E")]
    (_, other) = answers_suite(answers, program, []).values()
    failing = [case.replace("test_c_rate", case_functions(other).popitem()[0]) for case in failing]
    assert only_said(failing, {"a.py": "answers", "t.py": "yours"}, answers, program, {}) == said
