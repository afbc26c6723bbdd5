"""Clusters of behaviour, the question that parts them best, and what an answer leaves."""

from __future__ import annotations

import textwrap

import pytest

from selfheal_tui.engine.moment.sureness import LITTLE
from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.weigh.asked import functions_of_calls, results_differ
from selfheal_tui.search.weigh.behaviour import build_behaviours
from selfheal_tui.search.weigh.boundaries import build_boundary_calls
from selfheal_tui.search.weigh.equal_values import are_equal, equal_as_one
from selfheal_tui.search.weigh.found import Found, build_ranking, found_from
from selfheal_tui.search.weigh.inputs import build_calls, strangeness
from selfheal_tui.search.weigh.not_whole import not_whole_calls
from selfheal_tui.search.weigh.questions import best_question
from selfheal_tui.search.weigh.seeds import seeds_of
from selfheal_tui.search.weigh.signs import Signs
from selfheal_tui.search.weigh.telling import telling_answers
from selfheal_tui.search.weigh.text_calls import build_text_calls
from selfheal_tui.search.weigh.unlikely import glued_calls, negative_calls, turned_calls
from selfheal_tui.steps import call_rows, call_words

CALLS = ("f(0)", "f([1, 2, 3, 4, 5, 6, 7, 8, 9])", "f(2)")


def candidate(name: str, cost: float = 1.0, line: int = 1) -> Candidate:
    return Candidate({"p.py": name}, name, "x", "p.py", line, cost, 1, complete=True)


def found(rows: list[list[str]], costs: list[float] | None = None) -> Found:
    costs = costs or [1.0] * len(rows)
    candidates = [candidate(f"c{n}", cost, n) for n, cost in enumerate(costs)]
    return found_from(build_ranking(candidates, build_behaviours(["0", "0", "0"], rows), CALLS), 10, False)


def test_those_that_agree_support_each_other() -> None:
    result = found([["1", "1", "1"], ["2", "2", "2"], ["2", "2", "2"]], [1.0, 1.3, 1.3])
    assert [c.summary for c in result.candidates] == ["c1", "c0", "c2"]  # the best of each behaviour first
    assert result.clusters == 2 and result.confidence > found([["1"] * 3, ["2"] * 3, ["3"] * 3]).confidence


def test_while_repairs_disagree_none_is_sure_enough_to_be_told_without_a_doubt() -> None:
    far = [0.1, 4.0]
    open_question, settled = found([["1", "1", "1"], ["2", "2", "2"]], far), found([["1", "1", "1"]] * 2, far)
    assert open_question.question is not None and settled.question is None
    assert open_question.confidence == 0.75 < LITTLE <= settled.confidence
    assert open_question.answer("1").confidence >= LITTLE


def test_an_answer_leaves_each_repair_with_its_own_signs() -> None:
    candidates = [candidate("c0", 3.0), candidate("c1", 2.0), candidate("c2", 1.0)]
    behaviours = build_behaviours(["0"] * 3, [["1", "1", "1"], ["2", "2", "2"], ["1", "1", "2"]])
    signs = [Signs(surprise=float(n)) for n in range(3)]
    result = found_from(build_ranking(candidates, behaviours, CALLS, signs), 10, False)
    assert result.question is not None
    for ranking in (result.ranking, result.answer("1").ranking):
        assert ranking.signs and [f"c{one.surprise:.0f}" for one in ranking.signs] == [
            one.summary for one in ranking.candidates
        ]


def test_a_new_crash_and_a_contradicted_example_cost() -> None:
    rows = [["!ValueError", "!ValueError", "1"], ["1", "1", "1"]]
    crashing, sound = build_behaviours(["0", "0", "0"], rows, {2: "2"})
    assert (round(crashing.new_crashes, 2), crashing.contradicted) == (0.67, 1)
    assert (sound.new_crashes, sound.cluster == crashing.cluster) == (0.0, False)
    assert [c.summary for c in found(rows, [1.0, 2.0]).candidates] == ["c1", "c0"]


def test_a_repair_that_newly_raises_where_others_give_a_value_is_marked() -> None:
    rows = [["!IndexError", "1", "1"], ["2", "1", "1"]]
    result = found(rows, [1.0, 9.0])
    assert result.question is not None and result.question.call == "f(0)"
    marks = {one.summary: {mark.kind: mark.why for mark in one.marks} for one in result.candidates}
    assert marks["c1"] == {}
    assert (
        marks["c0"]["raises"] == "f(0) raises IndexError with it; before it did not, and with others it gives a value."
    )


def test_an_exception_that_the_program_raises_by_name_is_marked_beside_a_likely_repair_that_lets_it_through() -> None:
    behaviours = build_behaviours(["0", "!KeyError", "0"], [["!ValueError", "!KeyError", "1"], ["2", "3", "1"]])
    meant = Candidate({"p.py": "def f(n):\n    raise ValueError(n)\n"}, "m", "x", "p.py", 1, 1.0, 1, complete=True)

    def marks(cost: float) -> list[str]:
        ranking = build_ranking([meant, candidate("other", cost, 2)], behaviours, CALLS)
        return [m.why for one in found_from(ranking, 10, False).candidates for m in one.marks if m.kind == "raises"]

    assert marks(30.0) == []
    assert marks(3.0) == ["It refuses f(0) (ValueError), which was let through before, and is with another repair."]


def test_one_answer_to_all_calls_is_no_mark_where_the_tests_want_several_and_the_program_gave_one_too() -> None:
    ones, zeros, several = ["1"] * 6, ["0"] * 6, ["0", "1", "2", "3", "4", "5"]
    assert [build_behaviours(before, [ones])[0].is_constant for before in (zeros, several)] == [True, True]
    known = [build_behaviours(before, [ones], differ=True)[0].is_constant for before in (zeros, several)]
    assert known == [False, True]
    tests = {"t.py": "def test_a():\n    assert f(x) == 1\n    assert m.f(y) == 3\n    assert g(1) == 1\n"}
    assert results_differ(["f"], tests) and not results_differ(["g", "h"], tests)
    assert functions_of_calls(["m.f(1)", "f(2)", "[a := A(), a.g()][-1]", "[a := A(), a.n][-1]", "("]) == [
        "f",
        "g",
        "n",
    ]


def test_the_mark_says_of_which_function_the_calls_are() -> None:
    behaviours = build_behaviours(["0", "1", "2", "3", "4", "5"], [["1"] * 6])
    for calls, said in (([f"f({n})" for n in range(6)], " of `f`"), (["g(0)", *(f"f({n})" for n in range(5))], "")):
        (mark,) = build_ranking([candidate("c")], behaviours, calls).candidates[0].marks
        assert mark.why == f"It gives the same answer to all 6 calls{said} that were tried beside those of the tests."


def test_a_crash_that_was_there_before_is_not_new() -> None:
    (behaviour,) = build_behaviours(["!ValueError", "!ValueError", "0"], [["!ValueError", "!KeyError", "!KeyError"]])
    assert round(behaviour.new_crashes, 2) == 0.33


def test_the_question_parts_best_and_is_short() -> None:
    result = found([["1", "1", "1"], ["2", "2", "1"], ["3", "3", "2"]])
    assert result.question is not None
    assert result.question.call == "f(0)"
    assert [answer.text for answer in result.question.answers] == ["1", "2", "3"]
    assert result.question.as_assertion("2") == "assert f(0) == 2"
    with pytest.raises(ValueError, match="exception"):
        result.question.as_assertion("!ValueError")


def test_small_values_are_asked_first_and_a_skipped_call_leads_to_the_next() -> None:
    long = "[" + "1, " * 60 + "1]"
    result = found([["1", "1", long], ["2", "2", "2"]])
    assert [one.call for one in result.questions(5)] == ["f(0)", CALLS[1], "f(2)"]
    assert [one.call for one in found([[long, "1", "1"], ["2", "2", "2"]]).questions(1)] == ["f(2)"]


def test_an_answer_leaves_those_that_gave_it_and_may_lead_to_another_question() -> None:
    result = found([["1", "1", "1"], ["1", "1", "2"], ["3", "3", "2"], ["4", "4", "4"]])
    left = result.answer("1")
    assert {c.summary for c in left.candidates} == {"c0", "c1"}
    assert left.question is not None and left.question.call == "f(2)"
    last = left.answer("2")
    assert [c.summary for c in last.candidates] == ["c1"] and last.question is None
    assert left.confidence < last.confidence < 1.0
    assert last.ranking.answered == (("f(0)", "1"), ("f(2)", "2"))
    assert result.answer("17").candidates == ()
    with pytest.raises(ValueError, match="nothing was asked"):
        last.answer("1")


def test_what_nobody_could_write_down_is_not_asked() -> None:
    rows = [["<object object at 0x1>", "datetime.date(2024, 1, 8)"], ["1", "datetime.date(2024, 1, 9)"]]
    question = best_question(CALLS, rows, [0.0, 0.0])
    assert question is not None and question.call == CALLS[1]
    assert best_question(CALLS, [row[:1] for row in rows], [0.0, 0.0]) is None


def test_no_question_where_all_agree_or_nobody_could_be_asked() -> None:
    assert found([["1", "1", "1"], ["1", "1", "1"]]).question is None
    assert found([[], []]).question is None
    assert best_question(CALLS, [["1", "1", "1"]], [0.0]) is None


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("[1,2]", "[1, 2]", True),
        ("[1, 2]", "[2, 1]", False),
        ("0", "-0.0", True),
        ("1", "True", True),
        ("8", "Decimal('8.00')", True),
        ("0.5", "Fraction(1, 2)", True),
        ("0.1", "Decimal('0.1')", False),
        ("[(1, {'a': 2.0})]", "[(True, {'a': 2})]", True),
        ("{'a': 1, 'b': 2}", "{'b': 2.0, 'a': 1}", True),
        ("{1, 2}", "{2.0, 1}", True),
        ("[1]", "(1,)", False),
        ("'1'", "1", False),
        ("None", "False", False),
        ("!ValueError", "!KeyError", False),
        ("<a object>", "<b object>", False),
        ("Point(x=1)", "Point(x=2)", False),
        ("Point(x=1, y=2)", "Point(x=1,y=2)", True),
        ("Decimal('x')", "Decimal('y')", False),
        ("[" * 400, "[" * 401, False),
        ("nan", "nan", True),
    ],
)
def test_values_that_a_case_holds_for_equal_are_equal(one: str, other: str, equal: bool) -> None:
    assert are_equal(one, other) == equal


def test_equal_answers_are_told_alike_as_most_give_them() -> None:
    rows = [["0", "True", "1"], ["0.0", "True", "2"], ["0", "1", "3"], []]
    assert equal_as_one(rows) == [["0", "True", "1"], ["0", "True", "2"], ["0", "True", "3"], []]
    assert equal_as_one([]) == []


ACCOUNT = "def test_a():\n    a = Account()\n    a.put(2000)\n    assert a.fee(0) == 4\n\n\ndef test_b():\n"
ACCOUNT += f"    assert rate([7], True) == 4\n    assert rate(1{'0' * 400}) == 4\n"


def test_numbers_that_are_not_whole_are_asked_where_repairs_round_or_convert() -> None:
    program = {"p.py": "def rate(n):\n    return n\n"}

    def asked(new: str) -> list[str]:
        change = Candidate({"p.py": program["p.py"].replace("return n", f"return {new}")}, "s", "o", "p.py", 2, 1.0, 1)
        return not_whole_calls({"t.py": ACCOUNT}, program, [change])

    assert asked("n + 1") == []
    for new in ("int(n)", "n // 2", "math.floor(n)", "round(n, 2)"):
        assert asked(new) == [
            "rate([7.25], True)",
            "rate([7.75], True)",
            "[a := Account(), a.put(2000.25), a.fee(0)][-1]",
            "[a := Account(), a.put(2000.75), a.fee(0)][-1]",
            "[a := Account(), a.put(2000), a.fee(0.25)][-1]",
            "[a := Account(), a.put(2000), a.fee(0.75)][-1]",
        ]


def test_calls_are_new_distinct_and_always_the_same() -> None:
    tests = {"t.py": "def test_a():\n    assert f([1, 2], 'ab') == 3\n    assert sorted(g({'a': 1})) == []\n"}
    calls = build_calls(tests, 30)
    assert len(set(calls)) == len(calls) == 30
    assert calls == build_calls(tests, 30)
    assert "f([1, 2], 'ab')" not in calls
    assert any(call.startswith("g({") for call in calls)
    assert build_calls({"t.py": "assert f(x) == 1\nassert x.g(1) == 2\n", "u.py": "def ("}) == []


def test_the_repairs_shown_say_what_they_give_for_the_calls_that_tell_them_apart() -> None:
    result = found([["1", "1", "1"], ["1", "1", "2"], ["3", "1", "1"], ["1", "1", "1"]])
    by_name = dict(zip([c.summary for c in result.candidates], telling_answers(result), strict=True))
    assert by_name["c0"] == by_name["c3"] == {"f(2)": "1", "f(0)": "1"}
    assert by_name["c1"] == {"f(2)": "2", "f(0)": "1"} and by_name["c2"] == {"f(2)": "1", "f(0)": "3"}


def test_what_nobody_could_read_or_ask_tells_nothing() -> None:
    assert telling_answers(found([["1"], ["9" * 500]])) == [{}, {}]
    assert telling_answers(found([[], []])) == [{}, {}]
    assert telling_answers(Found((candidate("c"),), 1, True)) == [{}]


def test_calls_with_numbers_like_those_in_the_cases_come_first_and_are_asked_first() -> None:
    tests = {"t.py": "def test_a():\n    assert leap(1900) is False\n    assert leap(2024) is True\n"}
    years = [int(call.removeprefix("leap(").removesuffix(")")) for call in build_calls(tests)]
    alike = [1000 <= year <= 9999 for year in years]
    assert alike == sorted(alike, reverse=True) and {True, False} == set(alike)
    question = best_question(["leap(3800)", "leap(-10)"], [["1", "1"], ["2", "2"]], [0.0, 0.0])
    assert question is not None and question.call == "leap(3800)", "though it is longer"


DAYS = """def is_leap(year):
    return year % 4 == 0 and year % 100 != 0


def days_in(month, year):
    return 29 if month == 2 and is_leap(year) else 30 if month in (4, 6, 9, 10) else 31
"""


def test_values_of_the_cases_and_the_program_are_asked_with() -> None:
    tests = {"t.py": "def test_a():\n    assert days_in(2, 2024) == 29\n    assert days_in(11, 1900) == 30\n"}
    calls = build_boundary_calls(tests, {"p.py": DAYS, "q.py": "def ("})
    assert {"days_in(11, 2024)", "days_in(2, 1900)", "days_in(10, 2024)", "days_in(2, 100)"} < set(calls)
    assert not {"days_in(2, 2024)", "days_in(11, 1900)"} & set(calls) and len(set(calls)) == len(calls) <= 16
    assert calls.index("days_in(2, 1900)") < calls.index("days_in(2, 100)"), "what looks like the cases comes first"
    assert build_boundary_calls({}, {"p.py": DAYS}) == []


def test_words_that_the_program_decides_by_are_asked_also_where_the_test_is_parametrised() -> None:
    code = "def f(text):\n    return {'on': 1}.get(text, 0) if text in ('no', 'false', 'a b') else text == 'yes'\n"
    program = {"p.py": code}
    tests = "import pytest\nfrom p import f\n\n\n@pytest.mark.parametrize('text, value', [('no', 1), ('off', 2)])\n"
    tests += "def test_f(text, value):\n    assert f(text) == value\n"
    assert [*seeds_of({"t.py": tests})] == [("f", ["no"]), ("f", ["off"])]
    calls = build_boundary_calls({"t.py": tests}, program)
    assert {"f('false')", "f('yes')", "f('on')"} <= {*calls} and not {"f('no')", "f('a b')"} & {*calls}


def test_texts_of_the_cases_are_asked_with_other_signs_that_the_program_names() -> None:
    program = {"calc.py": "def tokens(text):\n    return [c for c in text if c in '+-*/' or c == '(']\n"}
    tests = {
        "test_c.py": "def test_c():\n    assert f('5') == 5\n    assert f('2+3') == 5\n    assert f('2+3*4') == 14\n"
    }
    calls = build_text_calls(tests, program)
    assert calls[:3] == ["f('2-3')", "f('2*3')", "f('2/3')"]
    assert {"f('-5')", "f('-2+3')"} <= {*calls} and {"f('2')", "f('3*4')"} & {*calls}
    assert not {"f('5')", "f('2+3')"} & {*calls} and not any("(" in call[2:] for call in calls)
    assert build_text_calls(tests, {"p.py": "x = 'a'\n"}) == []
    spaced = {"t.py": "def test_c():\n    assert f('2 + 3') == 5\n"}
    assert {"f('2 * 2 + 3')", "f('2 + 3 * 3')"} <= {*build_text_calls(spaced, program)}, "with a term more"
    chains = {
        "t.py": "def test_c():\n    assert f('1+2') == 3\n    assert f('8-4-2') == 2\n    assert f('8/4/2') == 1\n"
    }
    pairs = {"".join(sign for sign in call if sign in "+-*/") for call in build_text_calls(chains, program)}
    assert {f"{one}{other}" for one in "+-/" for other in "+-*/" if one != other} <= pairs, "each beside each other one"


def test_a_word_of_a_text_becomes_another_one_that_the_program_asks_for() -> None:
    program = {"p.py": "LEVELS = {'low': 1, 'high': 2}\n\n\ndef f(text):\n    return text in ('on', 'off')\n"}
    tests = {"test_p.py": "from p import f\n\n\ndef test_f():\n    assert f('x = 1\\nlamp = On\\n') == 'on'\n"}
    calls = build_text_calls(tests, program)
    assert calls[:2] == ["f('lamp = ON')", "f('lamp = on')"]
    assert {"f('lamp = Off')", "f('lamp = Low')", "f('lamp = High')"} <= {*calls}
    assert build_text_calls(tests, {"p.py": "def f(text):\n    return text\n"}) == ["f('x = 1\\nLamp = On\\n')"]


def test_what_lies_beyond_the_cases_is_harder_to_answer() -> None:
    seeds = [[2, (2000, 5)], [11, (2020, 12)]]
    calls = [[7, (2001, 6)], [14, (2001, 6)], [7, (2001, 13)], [100, (2001, 6)], [7, (2001, 6, 1)]]
    assert [strangeness(arguments, seeds) for arguments in calls] == [(0, 0), (0, 1), (0, 1), (1, 1), (1, 0)]


def test_a_negative_number_where_the_cases_have_none_is_asked_last() -> None:
    tests = {"t.py": "def test_a():\n    assert box(3, 10, [4, -1]) == 30\n"}
    calls = [
        "box(3, -10, [4])",
        "box(3, 0, [-2])",
        "box(3, 10, [4], -1)",
        "crate(-1)",
        "box(side=-1)",
        "[x := 1, x][-1]",
    ]
    assert negative_calls(calls, [*seeds_of(tests)]) == {calls[0], calls[2]}


def test_a_call_of_several_steps_is_said_as_a_person_writes_it() -> None:
    call = "[bag := Bag(), bag.put('a'), bag.size()][-1]"
    assert call_words(call) == "bag.size() (after bag = Bag(); bag.put('a'))"
    assert call_rows(call) == ["bag = Bag()", "bag.put('a')", "bag.size()"]
    assert call_rows(call.replace("bag.size()]", "bag.put('b'), bag.size()]"))[0].endswith("; bag.put('b')")
    for plain in ("f(2)", "[f(1)][-1]", "f('\x1b'"):
        assert call_words(plain) == call_rows(plain)[0] == plain.replace("\x1b", "␛")


def test_texts_that_are_glued_together_are_asked_last() -> None:
    tests = {"test_p.py": "from p import f\n\n\ndef test():\n    assert f('10 - 3') == 7\n    assert f('abc') == 1\n"}
    glued = "f('10 - 310 - 3')"
    calls = [glued, "f('10 - 310 -3')", "f('10 - 2')", "f('abcabc')", "f(['10 - 210 - 2'])", "f('10 - 3 ')"]
    assert glued_calls(calls, [*seeds_of(tests)]) == {glued, calls[1], calls[4]}
    rows, scores = [["1", "1"], ["2", "1"], ["3", "2"]], [0.0, 0.0, 0.0]
    best, other = (
        best_question([glued, "f('10')"], rows, scores),
        best_question([glued, "f('10')"], rows, scores, (), {glued}),
    )
    assert best is not None and best.call == glued and other is not None and other.call == "f('10')"
    alone = best_question([glued], [["1"], ["2"]], [0.0, 0.0], (), {glued})
    assert alone is not None and alone.call == glued, "where nothing else parts them"


def test_a_call_with_an_interval_that_ends_before_it_begins_is_asked_last() -> None:
    asserted = "assert merge([(1, 3), (2, 6)]) == [(1, 6)]\n" + "".join(
        f"assert clamp({value}, {low}, {high}) == {low}\n"
        for value, low, high in ((0, 1, 3), (1, 2, 8), (2, 5, 6), (3, 7, 9))
    )
    tests = {"test_x.py": "from x import merge, clamp\ndef test():\n" + textwrap.indent(asserted, "    ")}
    calls = ["merge([(1, 3), (6, 2)])", "merge([(1, 3), (4, 4)])", "clamp(5, 9, 3)", "clamp(0, 1, 3)", "merge([])"]
    assert turned_calls(calls, [*seeds_of(tests)]) == {calls[0], calls[2]}


@pytest.mark.parametrize(
    ("asserted", "call"),
    [
        ("assert f((1, 3), (5, 2)) == 1 and f((2, 1), (0, 9)) == 1", "f((3, 1), (9, 0))"),
        ("assert f(2, 10) == 1024\n    assert f(3, 4) == 81", "f(5, 2)"),
    ],
)
def test_pairs_that_rise_by_chance_say_nothing(asserted: str, call: str) -> None:
    assert turned_calls([call], [*seeds_of({"test_x.py": f"from x import f\ndef test():\n    {asserted}\n"})]) == set()
