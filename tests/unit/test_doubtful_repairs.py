"""Marks of repairs that too few cases speak for, and questions about what an object has become."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from selfheal_tui.engine.moment.state import Repair
from selfheal_tui.engine.suites.answers import answers_suite
from selfheal_tui.engine.workshop.trusted import doubts_about, withheld
from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.weigh.behaviour import build_behaviours
from selfheal_tui.search.weigh.found import build_ranking, found_from
from selfheal_tui.search.weigh.sequences import build_sequences
from selfheal_tui.search.weigh.turned import turned_marks
from selfheal_tui.search.weigh.untold import joined_mark
from selfheal_tui.steps import call_words

DAYS = "def days(month):\n    return 30 if month in (4, 6, 9, 10) else 31\n"
COUNTER = """from p import Counter


def test_counter():
    c = Counter(2)
    c.hit()
    c.miss()
    assert c.rate() == 0.5
"""
CLASS = "class Counter:\n    pass\n"


def repair(marks: Any = (), **more: Any) -> Repair:
    report = {"verdict": "passed", "failed": 0, "errors": 0, "timeouts": 0}
    plain = {"summary": "s", "changes": {}, "strategy": "search", "by": "search", "fixes": ["a"], "breaks": []}
    return cast(Repair, {**plain, "report": report, "marks": marks, **more})


def turned(after: str, *cases: str) -> list[str]:
    ran = {case: {"p.py": frozenset({2})} for case in cases}
    return [mark.why for mark in turned_marks({"p.py": DAYS}, {"p.py": after}, {**ran, "other": {}})]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" in ", " not in "),
        ("30 if month in (4, 6, 9, 10) else 31", "31 if month in (4, 6, 9, 10) else 30"),
        ("if month in (4, 6, 9, 10) else", "if not (month in (4, 6, 9, 10)) else"),
    ],
)
def test_a_condition_turned_round_for_one_case_is_marked(old: str, new: str) -> None:
    after = DAYS.replace(old, new)
    assert turned(after, "a") == ["It turns the condition `month in (4, 6, 9, 10)` round, and only one case runs it."]
    assert turned(after, "a", "b") == []


def test_another_change_of_a_condition_turns_nothing_round() -> None:
    assert turned(DAYS.replace("10)", "11)"), "a") == []
    assert turned(DAYS.replace("30 if", "29 if"), "a") == []


def candidate(line: int, **more: Any) -> Candidate:
    return Candidate({"p.py": f"x = {line}\n"}, f"line {line}", "x", "p.py", line, 2.0, 3, complete=True, **more)


def marks_of(candidates: list[Candidate], before: list[str], rows: list[list[str]]) -> list[list[str]]:
    ranked = build_ranking(candidates, build_behaviours(before, rows), ["f(0)"] * len(before))
    return [[mark.kind for mark in one.marks] for one in ranked.candidates]


@pytest.mark.parametrize(
    ("call", "answer", "text", "first"),
    [
        ("f(date(2023, 11, 15), 1)", "!ValueError", "x = 1", 2),
        ("f('a', None)", "!ValueError", "x = 1", 1),
        ("f([])", "!ValueError", "x = 1", 1),
        ("f(0)", "!ValueError", "x = 1", 1),
        ("f(-1)", "!ValueError", "x = 1", 1),
        ("f(4)", "4", "x = 1", 1),
        ("f(4)", "!ValueError", "raise ValueError('too many')", 1),
    ],
)
def test_what_crashes_on_an_ordinary_call_where_others_give_a_value_ranks_below(
    call: str, answer: str, text: str, first: int
) -> None:
    crashing = replace(candidate(1), changes={"p.py": text}, cost=1.0)
    # Beside many calls that both answer alike the share of its crashes says little.
    calls = [call, *(f"g({number})" for number in range(1, 40))]
    same = [str(number) for number in range(39)]
    behaviours = build_behaviours(["3", *same], [[answer, *same], ["5", *same]])
    ranked = build_ranking([crashing, candidate(2)], behaviours, calls).candidates
    assert ranked[0].line == first


@pytest.mark.parametrize(
    ("call", "text", "marks"),
    [
        ("f([4, 5], 100)", "x = 1", ["crashes"]),
        ("f([4, 5], 0)", "x = 1", []),
        ("f([4, 5], 100)", "raise IndexError('too many')", []),
    ],
)
def test_a_crash_on_an_ordinary_call_is_told_also_where_every_repair_has_it(
    call: str, text: str, marks: list[str]
) -> None:
    """`high = low + 1` passed all cases of `percentile`, and failed for the hundredth."""
    calls, same = [call, *(f"g({number})" for number in range(1, 40))], [str(number) for number in range(39)]
    crashing = replace(candidate(1), changes={"p.py": text})
    given = ["5", *same]
    behaviours = build_behaviours(given, [["!IndexError", *same]])
    (only,) = build_ranking([crashing], behaviours, calls, given=given).candidates
    assert [mark.kind for mark in only.marks] == marks
    assert not marks or only.marks[0].why == "f([4, 5], 100) raises IndexError with it, and gave 5 before."


def test_repairs_that_nothing_tells_apart_are_marked() -> None:
    first, second, third = candidate(1), candidate(2), candidate(2)
    assert marks_of([first, second], [], [[], []]) == [["untold"], ["untold"]]
    assert marks_of([first, second], ["1"], [["1"], ["1"]]) == [["untold"], ["untold"]]
    assert marks_of([first, second], ["1"], [["2"], ["2"]]) == [[], []]
    assert marks_of([second, third], [], [[], []]) == [[], []]
    git_s = replace(first, operator="as_before", restored=1, cost=1.0)
    assert marks_of([git_s, second], [], [[], []]) == [[], ["untold"]], "a guess is no rival of what git had"
    far = replace(second, cost=20.0)
    assert marks_of([first, far], [], [[], []]) == [[], ["untold"]]
    (mark,) = build_ranking([first, second, third], build_behaviours([], [[], [], []]), []).candidates[0].marks
    told = "2 other repairs at other lines pass every case too, and no call was tried that could tell them apart."
    assert mark.why == told
    (mark,) = build_ranking([first, second, third], build_behaviours([], [[], [], []]), []).candidates[1].marks
    told = "2 other repairs pass every case too, 1 of them at another line, and no call was tried"
    assert mark.why.startswith(told), "one at the same line passes as well"
    unknown = build_behaviours(["!NameError"], [["!NameError"]] * 2)
    (mark,) = build_ranking([first, second], unknown, ["f(0)"]).candidates[0].marks
    assert mark.why.endswith("and no call was tried that could tell them apart.")
    (mark,) = build_ranking([first, second], build_behaviours(["1"], [["1"]] * 2), ["f(0)"]).candidates[0].marks
    assert mark.why.endswith("and the only call tried does not tell them apart.")
    alike = build_behaviours(["1", "5"], [["1", "5"]] * 2)
    (mark,) = build_ranking([first, second], alike, ["f(0)", "f(4)"]).candidates[0].marks
    assert mark.why.endswith("passes every case too, and none of the 2 calls tried tells them apart.")


def test_a_repair_that_no_call_shows_is_said_to_be_known_by_its_cases_alone() -> None:
    answers = [str(number) for number in range(12)]
    assert marks_of([candidate(1)], answers, [answers]) == [["unseen"]]
    assert marks_of([candidate(1)], answers, [[*answers[:-1], "-1"]]) == [[]]
    assert marks_of([candidate(1)], answers[:3], [answers[:3]]) == [[]], "three calls say little"


@pytest.mark.parametrize(("call", "marks"), [("[c := C(), c.a(), c.b()][-1]", ["untold"] * 2), ("f(0)", [])])
def test_rivals_at_other_lines_contest_a_repair_of_an_object(call: str, marks: list[str]) -> None:
    both = [replace(candidate(line), cost=cost) for line, cost in ((1, 8.0), (2, 10.0))]
    ranking = build_ranking(both, build_behaviours(["1"], [["2"], ["3"]]), [call])
    found = found_from(ranking, 2, True)
    assert found.confidence < 0.5 and [mark.kind for one in found.candidates for mark in one.marks] == marks
    assert not any(one.marks for one in found.ranking.candidates), "an answer settles it"


def test_where_two_are_as_likely_and_do_different_things_a_person_chooses() -> None:
    both = [replace(candidate(1), cost=cost) for cost in (3.0, 3.5)]
    other = replace(candidate(2), cost=5.0)
    behaviours = build_behaviours(["1"], [["2"], ["3"], ["3"]])
    found = found_from(build_ranking([*both, other], behaviours, ["f(0)"]), 3, True)
    assert {mark.kind for one in found.candidates for mark in one.marks} == {"untold"}
    assert all("The two likeliest repairs do different things" in one.marks[0].why for one in found.candidates)
    alike = found_from(build_ranking([*both, other], build_behaviours(["1"], [["2"], ["2"], ["3"]]), ["f(0)"]), 3, True)
    assert not any(one.marks for one in alike.candidates)
    ranking = build_ranking([*both, other], behaviours, ["f(0.75)"], last=frozenset({"f(0.75)"}))
    unlikely = found_from(ranking, 3, True)
    assert not any(one.marks for one in unlikely.candidates), "they differ where hardly anybody would call it"


def test_two_as_likely_of_which_no_call_could_be_asked_are_left_to_a_person() -> None:
    both = [replace(candidate(1), cost=cost, summary=f"line 1: {cost}") for cost in (3.0, 3.2)]
    behaviours = build_behaviours([], [[], []])
    found = found_from(build_ranking(both, behaviours, []), 2, True)
    assert (
        "Two repairs are about as likely, and no call could be tried: line 1: 3.0; and line 1: 3.2."
        in found.candidates[0].marks[0].why
    )
    apart = found_from(build_ranking([both[0], replace(both[1], cost=6.0)], behaviours, []), 2, True)
    assert not apart.candidates[0].marks
    alike = found_from(build_ranking(both, build_behaviours(["1"], [["2"], ["2"]]), ["f(0)"]), 2, True)
    assert not alike.candidates[0].marks and alike.confidence > found.confidence


def test_several_edits_that_rest_on_one_case_each_are_marked() -> None:
    def words(*mends: tuple[str, ...]) -> list[str]:
        edits = tuple(f"line {number}: x" for number in range(3, 3 + len(mends)))
        return [mark.why for mark in joined_mark(candidate(1, parts=len(mends), mends=mends, edits=edits))]

    assert words(("a",), ("b",), ("c",)) == ["Each of its 3 edits has only one case that speaks for it."]
    assert words(("a",), ("b", "d"), ("c", "e")) == ["Only one case speaks for its edit at line 3."]
    assert words(("a",), ("b", "d"), ("c",)) == ["Only one case each speaks for 2 of its 3 edits."]
    assert words(("a", "d"), ("b", "e"), ("c", "f")) == []
    copied = [("a", "a__check_1"), ("b", "b__check_1", "b__check_2"), ("c__check_3",)]
    assert words(*copied) == ["Only one check each speaks for 2 of its 3 edits."]
    assert words(("a",), ("b",)) == []


def test_two_marks_or_nothing_to_tell_it_by_need_a_person() -> None:
    turn = {"kind": "turned", "why": "It turns the condition round."}
    joined = {"kind": "joined", "why": "Each of its 3 edits has only one case that speaks for it."}
    untold = {"kind": "untold", "why": "1 other repair at another line passes every case too."}
    assert withheld(repair(marks=[turn], confidence=0.8, clusters=2)) == ""
    assert "coincidence. It turns" in withheld(repair(marks=[turn, joined], confidence=0.8, clusters=2))
    assert "1 other repair" in withheld(repair(marks=[untold], confidence=0.9, clusters=2))
    acts = {"kind": "acts", "why": "It changes something where it should only ask: `a.pop()`."}
    assert "should only ask" in withheld(repair(marks=[acts], confidence=0.9, clusters=2))


def test_the_end_says_how_sure_the_search_is_where_that_is_little() -> None:
    assert doubts_about(repair(confidence=0.5)).endswith("The search is only 50% sure of it.")
    assert doubts_about(repair(confidence=0.8)) == ""


def test_a_step_done_a_few_times_and_a_list_of_calls_are_asked_too() -> None:
    text = (
        "def test_hits():\n    c = Counter(2)\n    for _ in range(2):\n        c.hit()\n"
        "    assert [c.hit() for _ in range(2)] == [3, 4]\n"
    )
    sequences = build_sequences({"test_p.py": text})
    assert "[c := Counter(2), c.hit(), [c.hit() for _ in range(2)]][-1]" in sequences
    assert "[c := Counter(2), c.hit(), c.hit(), c.hit(), [c.hit() for _ in range(2)]][-1]" in sequences
    for other in ("range(200)", "rows"):
        assert build_sequences({"test_p.py": text.replace("range(2)", other, 1)}) == [], "nobody knows how often"
    named = build_sequences({"test_p.py": text.replace("c.hit()", "c.hit(_)", 1).replace("range(2)", "('a', 'b')", 1)})
    assert "[c := Counter(2), c.hit('b'), [c.hit() for _ in range(2)]][-1]" in named


def test_objects_are_asked_by_changed_sequences_of_a_test() -> None:
    assert build_sequences({"test_p.py": COUNTER}) == [
        "[c := Counter(2), c.rate()][-1]",
        "[c := Counter(2), c.hit(), c.rate()][-1]",
        "[c := Counter(2), c.miss(), c.rate()][-1]",
        "[c := Counter(2), c.hit(), c.hit(), c.miss(), c.rate()][-1]",
        "[c := Counter(2), c.hit(), c.miss(), c.miss(), c.rate()][-1]",
    ]
    assert build_sequences({"test_p.py": COUNTER.replace("test_counter()", "test_counter(c)")}) == []
    assert build_sequences({"test_p.py": "def test_f():\n    x = f(1)\n    g(x)\n    assert x == 2\n"}) == []


def test_two_steps_of_one_kind_change_places_or_are_given_the_same_number() -> None:
    tests = (
        "def test_q():\n    q = Queue()\n    q.add(Job('low', rank=9))\n    q.add(Job('high', rank=1))\n"
        "    assert q.names() == ['high', 'low']\n"
    )
    calls = build_sequences({"test_p.py": tests})
    begun = "[q := Queue(), q.add(Job('low', rank=9)), q.add(Job('high', rank=9)), q.names()][-1]"
    turned = "[q := Queue(), q.add(Job('high', rank=1)), q.add(Job('low', rank=9)), q.names()][-1]"
    assert {begun, turned} <= {*calls}
    assert all("rank=1)), q.add(Job('low', rank=1))" not in call for call in calls), "one at a time"


def test_what_a_step_does_late_in_a_test_is_asked_by_itself() -> None:
    tests = (
        "def test_b():\n    b = Buffer('hello')\n    b.move(-2)\n    b.insert('x')\n"
        "    assert state(b) == ('helxlo', 4)\n"
        "    b.move(99)\n    b.insert('!')\n    assert b.text == 'helxlo!'\n"
    )
    calls = build_sequences({"test_p.py": tests})
    assert "[b := Buffer('hello'), b.move(99), state(b)][-1]" in calls
    assert "[b := Buffer('hello'), state(b), b.text][-1]" not in calls, "a read is no step that stands alone"


@pytest.mark.parametrize("read", ["s.items['a'].count", "s.items['a']", "total(s)", "total(s, 2)", "s.rows[0].sum()"])
def test_an_object_is_read_by_what_it_holds_and_by_functions_that_take_it(read: str) -> None:
    tests = f"def test_s():\n    s = Store()\n    s.add('a', 8)\n    assert {read} == 8\n"
    assert f"[s := Store(), s.add('a', 8), s.add('a', 8), {read}][-1]" in build_sequences({"test_p.py": tests})


def test_what_is_asserted_to_be_true_or_not_is_a_step_and_a_read() -> None:
    tests = "def test_l():\n    l = Limiter(2)\n    assert l.allow(1)\n    assert not l.allow(2)\n    assert l.full\n"
    calls = build_sequences({"test_p.py": tests})
    assert "[l := Limiter(2), l.allow(1), l.allow(1), l.allow(2)][-1]" in calls
    assert "[l := Limiter(2), l.allow(1), l.allow(3), l.full][-1]" in calls


@pytest.mark.parametrize("read", ["total(8)", "rows[s]", "total(s, other())"])
def test_what_is_not_read_of_the_object_alone_is_not_asked(read: str) -> None:
    tests = f"def test_s():\n    s = Store()\n    s.add('a', 8)\n    assert {read} == 8\n"
    assert build_sequences({"test_p.py": tests}) == []


def test_numbers_of_steps_are_moved_and_what_must_raise_is_done_with_smaller_ones() -> None:
    tests = """import pytest
from bank import Bank


@pytest.fixture
def bank():
    bank = Bank()
    bank.open("ann", 50)
    return bank


def test_too_much(bank):
    with pytest.raises(ValueError):
        bank.take("ann", 60)
    assert bank.left("ann") == 50


def test_open(bank):
    bank.open("bob", 7)
    assert bank.total() == 57
"""
    calls = build_sequences({"test_bank.py": tests})
    opened = "bank := Bank(), bank.open('ann', 50)"
    assert f"[{opened}, bank.open('bob', 8), bank.total()][-1]" in calls
    assert f"[{opened}, bank.take('ann', 30), bank.total()][-1]" in calls
    assert f"[{opened}, bank.take('ann', 1), bank.total()][-1]" in calls
    assert f"[{opened}, bank.take('ann', 30), bank.left('ann')][-1]" in calls
    assert not any("60" in call and opened in call for call in calls), "that is refused, as the test wants it"


def test_a_fixture_may_call_it_otherwise_and_set_its_attributes() -> None:
    tests = (
        "import pytest\nfrom shop import Shop\n\n\n@pytest.fixture\ndef shop():\n    s = Shop()\n    s.add('a', 8)\n"
    )
    tests += "    s.least = {'a': 3}\n    return s\n\n\n"
    tests += "def test_sum(shop):\n    shop.add('b', 1)\n    assert shop.sum() == 9\n"
    call = "[shop := Shop(), shop.add('a', 8), setattr(shop, 'least', {'a': 3}), shop.sum()][-1]"
    assert call in build_sequences({"test_shop.py": tests})
    assert call_words(call) == "shop.sum() (after shop = Shop(); shop.add('a', 8); shop.least = {'a': 3})"
    (text,) = answers_suite([[call, "8"]], {"shop.py": "class Shop:\n    pass\n"}, []).values()
    assert "    shop.least = {'a': 3}\n    assert shop.sum() == 8\n" in text


def test_numbers_by_which_the_program_decides_are_put_into_steps() -> None:
    program = {"basket.py": "class Basket:\n    def total(self):\n        return 9 if self.count > 10 else 8\n"}
    tests = "def test_b():\n    b = Basket()\n    b.add('nail', 20)\n    assert b.total() == Decimal('1.80')\n"
    assert "[b := Basket(), b.add('nail', 10), b.total()][-1]" in build_sequences({"test_b.py": tests}, program)
    assert not any("10" in call for call in build_sequences({"test_b.py": tests}))


def test_an_answer_about_an_object_that_a_function_takes_becomes_a_case() -> None:
    files = {"items.py": "class Store:\n    pass\n", "report.py": "def total(store): ...\n"}
    (text,) = answers_suite([["[s := Store(), s.add('a', 8), total(s)][-1]", "8"]], files, []).values()
    assert "from items import Store" in text
    assert "from report import total" in text
    assert "    s.add('a', 8)\n    assert total(s) == 8" in text


def test_an_answer_about_what_a_helper_of_the_tests_makes_becomes_a_case() -> None:
    tests = {"test_cart.py": "from items import Cart\n\n\ndef cart(**items):\n    return Cart(items)\n"}
    call = "[c := cart(tea=2), c.items][-1]"
    (text,) = answers_suite([[call, "{}"]], {"items.py": "class Cart:\n    pass\n"}, ["test_cart.py"], tests).values()
    assert "from items import Cart" in text and "def cart(**items):" in text
    assert "    c = cart(tea=2)\n    assert c.items == {}\n" in text


@pytest.mark.parametrize("where", ["tests", "program"])
def test_what_an_answer_names_is_imported_as_the_tests_or_the_program_do(where: str) -> None:
    head = "import os.path\nimport decimal as d\nfrom datetime import date as Day, timedelta\n\n\n"
    files = {"fees.py": (head if where == "program" else "") + "def fee(day, path, rate): ...\n"}
    tests = {"test_fees.py": head} if where == "tests" else {}
    call = "fee(Day(2024, 1, 5) + timedelta(days=1), os.path.join('a', 'b'), d.Decimal('1.5'))"
    (text,) = answers_suite([[call, "5"]], files, [], tests).values()
    body = text[text.index("def test_") :].splitlines()
    lines = {
        "from datetime import date as Day",
        "from datetime import timedelta",
        "import decimal as d",
        "import os.path",
    }
    assert {line.strip() for line in body[2:6]} == lines and body[6].strip() == "from fees import fee"
    assert body[7].strip() == f"assert {call} == 5"


def test_an_object_of_a_fixture_is_asked_by_its_steps_and_by_what_another_test_reads() -> None:
    text = """import pytest
from shop import Desk, Stock


@pytest.fixture
def stock():
    stock = Stock()
    stock.receive("cup", 9)
    return stock


@pytest.fixture
def desk(stock):
    return Desk(stock)


def test_place(desk):
    desk.place("cup", 3)
    assert desk.stock.left("cup") == 6


def test_cancel(desk):
    one = desk.place("cup", 1)
    other = desk.place("cup", 1)
    desk.cancel(one.number)
    assert desk.open() == [other.number]
"""
    made = "stock := Stock(), stock.receive('cup', 9), desk := Desk(stock)"
    calls = build_sequences({"test_desk.py": text})
    assert f"[{made}, desk.stock.left('cup')][-1]" in calls, "a step less"
    assert f"[{made}, one := desk.place('cup', 1), other := desk.place('cup', 1), desk.open()][-1]" in calls
    assert f"[{made}, desk.place('cup', 3), desk.open()][-1]" in calls, "another test's question"
    assert not any("one" in call and "one :=" not in call for call in calls)
    conftest, _, tests = text.partition("\n\ndef test_place")
    files = {"conftest.py": conftest, "test_desk.py": f"def test_place{tests}"}
    assert build_sequences(files) == calls
    taken_down = text.replace("    return stock", "    yield stock\n    stock.close()")
    assert build_sequences({"test_desk.py": taken_down}) == calls
    assert build_sequences({"test_desk.py": text.replace("stock = Stock()", "with lock: stock = Stock()")}) == []
    assert build_sequences({"test_desk.py": text.replace("fixture", "fixture(params=[1])")}) == []


def test_an_answer_about_an_object_becomes_a_case() -> None:
    (text,) = answers_suite([["[c := Counter(2), c.hit(), c.rate()][-1]", "1.0"]], {"p.py": CLASS}, []).values()
    assert "from p import Counter" in text
    assert "    c = Counter(2)\n    c.hit()\n    assert c.rate() == pytest.approx(1.0" in text
