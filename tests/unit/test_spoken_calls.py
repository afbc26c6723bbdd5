"""Calls in the words of the tests, whose arguments are no plain values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.weigh.joined import join
from selfheal_tui.search.weigh.near_tests import near_tests
from selfheal_tui.search.weigh.plainer import dearer_beside_comparison, dearer_beside_git
from selfheal_tui.search.weigh.rivals import with_rival_instead, with_rivals
from selfheal_tui.search.weigh.seeds import seeds_of
from selfheal_tui.search.weigh.spoken_changed import build_spoken_calls

DATES = """from datetime import date
from rental import fee


def test_one():
    assert fee(date(2024, 1, 10), date(2024, 1, 13)) == 0


def test_two():
    late = date(2024, 2, 1)
    assert fee(date(2024, 1, 5), late) == 20
    assert fee(date(2024, 1, 5), date(2024, 3, 1)) == 20
"""
TABLE = """import pytest
import words

CASES = [(1, "1st"), (11, "11th")]


@pytest.mark.parametrize("number, text", CASES)
def test_ordinal(number, text):
    assert text == words.ordinal(number)
"""
CLASS = """import unittest
from chunks import parts


class Chunks(unittest.TestCase):
    def test_parts(self):
        self.assertEqual(list(parts(range(7), 3)), [])
        self.assertTrue(all(parts(range(9), 3)))
"""


@pytest.mark.parametrize(
    ("text", "call"),
    [
        (DATES, "fee(date(2024, 1, 5), date(2024, 1, 13))"),
        (DATES, "fee(date(2024, 1, 10), date(2024, 1, 14))"),
        (TABLE, "words.ordinal(12)"),
        (CLASS, "list(parts(range(8), 3))"),
    ],
)
def test_arguments_are_exchanged_and_moved(text: str, call: str) -> None:
    calls = build_spoken_calls({"test_it.py": text})
    assert call in calls
    assert not any("late" in one or one in text for one in calls)


@pytest.mark.parametrize("text", ["def test_a(:", "", "def test_a():\n    assert x.f(1) == 2\n"])
def test_what_cannot_be_called_alone_is_left_out(text: str) -> None:
    assert build_spoken_calls({"test_it.py": text}) == []


def test_of_two_that_move_a_bound_the_comparison_is_plainer() -> None:
    def candidate(operator: str, line: int) -> Candidate:
        return Candidate({}, "", operator, "p.py", line, 1.0, 1)

    candidates = [candidate("comparison", 3), candidate("off_by_one", 3), candidate("off_by_one", 4)]
    assert [one.cost for one in dearer_beside_comparison(candidates)] == [1.0, 3.0, 1.0]


def test_of_two_at_one_line_the_one_that_git_had_is_cheaper() -> None:
    made_up = Candidate({}, "", "constant", "p.py", 3, 1.0, 1)
    candidates = [made_up, replace(made_up, operator="as_before", restored=1), replace(made_up, line=4)]
    assert [one.cost for one in dearer_beside_git(candidates)] == [5.0, 1.0, 1.0]


def test_a_part_that_edits_at_other_lines_mend_as_well_is_marked() -> None:
    def candidate(line: int, cost: float, *fixes: str, parts: int = 1) -> Candidate:
        mends = tuple((case,) for case in fixes) if parts > 1 else ()
        return Candidate({}, "", "x", "p.py", line, cost, 1, fixes=fixes, parts=parts, mends=mends)

    singles = [candidate(3, 1.0, "a"), candidate(5, 2.0, "a"), candidate(7, 1.0, "b"), candidate(9, 8.0, "b")]
    joined = replace(candidate(7, 3.0, "a", "b", parts=2), before=(("p.py", 3),))
    assert [mark.kind for mark in with_rivals(joined, singles).marks] == ["rivals"]
    assert not with_rivals(joined, [singles[0], *singles[2:]]).marks
    of_marks = with_rivals(joined, singles, bits_of=lambda one: 1.5 if one is singles[1] else 0.0)
    assert not of_marks.marks, "its marks make it 2.5 bits less likely"
    assert with_rivals(joined, singles, bits_of=lambda one: 1.0).marks, "and here 2 bits"
    assert [bool(with_rivals(one, singles).marks) for one in singles] == [True, True, False, True]
    added = [replace(one, summary=f"line {one.line}: `x = 0` is added") for one in singles]
    assert [bool(with_rivals(one, added).marks) for one in added[:2]] == [False, False], (
        "one statement, before or after"
    )
    apart = replace(added[1], line=30, summary="line 30: `x = 0` is added")
    assert with_rivals(added[0], [added[0], apart]).marks, "in another place it is another edit"
    singles = [replace(one, summary=f"line {one.line}: {one.cost}") for one in singles]
    whole, rival = replace(joined, complete=True), replace(joined, edits=("p.py line 5: 2.0", "p.py line 7: 1.0"))
    assert [mark.kind for mark in with_rivals(whole, singles, [whole]).marks] == ["unasked"]
    assert [mark.kind for mark in with_rivals(whole, singles, [whole, rival]).marks] == ["rivals"]
    other = replace(rival, edits=("p.py line 5: another", "p.py line 7: 1.0"))
    assert [mark.kind for mark in with_rivals(whole, singles, [whole, other]).marks] == ["unasked"]
    git_s = [replace(singles[0], restored=1), *singles[1:]]
    assert not with_rivals(replace(joined, restored=1), git_s).marks, "a guess is no rival of what git had"
    assert with_rivals(joined, git_s).marks
    of_none = replace(singles[0], fixes=())
    assert with_rivals(of_none, singles) is of_none, "alone, in a process of its own, it mended nothing"


def test_rivals_are_put_in_the_place_of_the_edit_that_they_could_stand_for() -> None:
    program = {"p.py": "a = 1\nb = 2\nc = 3\n", "q.py": "d = 4\n"}

    def single(line: int, old: str, case: str, cost: float, path: str = "p.py") -> Candidate:
        changes = {path: program[path].replace(old, f"{old}0")}
        return Candidate(changes, f"line {line}: {old}", "x", path, line, cost, 1, fixes=(case,))

    one, two = single(1, "1", "t::a", 2.0), single(3, "3", "t::b", 1.0)
    rival, dear = single(2, "2", "t::a", 1.0), single(1, "4", "t::a", 9.0, "q.py")
    singles = [one, two, rival, dear]
    joined = join(program, [one, two])
    assert joined is not None
    whole = replace(joined, fixes=("t::a", "t::b"), complete=True)
    ((swap, other),) = with_rival_instead(program, whole, singles, [whole])
    assert other.changes == {"p.py": "a = 1\nb = 20\nc = 30\n"} and swap == (whole.texts, rival.texts)
    assert with_rival_instead(program, whole, singles, [whole, other]) == []
    why = [mark.why for mark in with_rivals(whole, singles, [whole, other], several_files=True).marks]
    assert why == ["A likelier edit at line 2 of p.py (2) mends 1 of its cases too; another repair has it instead."]
    assert not with_rivals(whole, singles, [whole], in_vain={swap}).marks, "with it a case fails: it is no rival"


def test_what_rivals_mend_is_counted_by_tests_and_not_by_their_copies() -> None:
    def words(*fixes: str) -> str:
        one = Candidate({}, "", "x", "p.py", 3, 1.0, 1, fixes=fixes)
        (mark,) = with_rivals(one, [one, replace(one, line=5)]).marks
        return mark.why

    copies = ("t.py::test_a__check_1", "t.py::test_a__check_2")
    assert words("t.py::test_a", *copies) == "An edit at line 5 mends 1 of its cases too."
    assert words(*copies) == "An edit at line 5 makes a check of test_a hold too."
    assert words("a", "b") == "An edit at line 5 mends 2 of its cases too."


def test_a_function_of_a_module_is_called_by_it() -> None:
    text = "import shop\n\n\ndef test_a():\n    f = shop.fee\n    assert f(1) == 2\n    assert shop.tax(3) == 4\n"
    assert list(seeds_of({"t.py": f"{text}    cart = shop.Cart()\n    assert cart.total(5) == 6\n"})) == [
        ("shop.fee", [1]),
        ("shop.tax", [3]),
    ]


def test_calls_are_those_of_tests_that_ran_the_edit() -> None:
    tests = {
        "test_it.py": "def test_a():\n    assert f(1) == 2\n\n\ndef test_b():\n    assert g(1) == 2\n",
        "helper.py": "X = 1\n",
    }
    coverage = {"test_it.py::test_a[x]": {"p.py": frozenset({3})}, "test_it.py::test_b": {"p.py": frozenset({7})}}
    edit = Candidate({}, "", "x", "p.py", 3, 1.0, 1)
    near = near_tests(tests, coverage, [edit], [])
    assert "f(1)" in near["test_it.py"] and "g(1)" not in near["test_it.py"]
    assert near["helper.py"] == tests["helper.py"]
    assert "g(1)" in near_tests(tests, coverage, [edit], ["test_it.py::test_b"])["test_it.py"]
    assert near_tests(tests, {}, [edit], []) == tests


def test_what_an_argument_holds_is_put_in_another_order() -> None:
    """A ranking by name is told from one by number, though the tests' own rows stand in both orders."""
    text = """from report import parse, ranking, Row, total


def test_text():
    data = "a,9\\nb,5\\nc,1"
    assert ranking(parse(data)) == ["a", "b", "c"]


def test_rows():
    first = Row("a", 9)
    rows = [first, Row("b", 5)]
    assert ranking(rows) == ["a", "b"]


def test_changed():
    rows = [Row("a", 9), Row("b", 5)]
    rows.append(Row("c", 1))
    assert total(rows) == 15
"""
    calls = build_spoken_calls({"test_it.py": text})
    assert r"ranking(parse('a,9\nb,1\nc,5'))" in calls
    assert "ranking([Row('b', 5), Row('a', 9)])" in calls and "ranking([Row('a', 9)])" in calls
    assert not any("total" in call for call in calls), "its rows are others by then"


ROWS = """[
        Task("paint", "ann", due=9, rank=1, tags=["home", "garden", "sunday"]),
        Task("call", "bob", due=3, rank=2, tags=["telephone", "office hours"]),
        Task("sell", "ann", due=5, rank=2),
    ]"""
AGENDA = "from tasks import Task, agenda, most\n\n\n"


@pytest.mark.parametrize(
    "text",
    [
        f"def test_a():\n    tasks = {ROWS}\n    assert agenda(tasks) == ['call', 'sell', 'paint']\n",
        f"TASKS = {ROWS}\n\n\ndef test_a():\n    assert agenda(TASKS) == ['call', 'sell', 'paint']\n",
        f"def some():\n    return {ROWS}\n\n\ndef test_a():\n    assert agenda(some()) == ['call']\n",
        f"@pytest.fixture\ndef some():\n    return {ROWS}\n\n\ndef test_a(some):\n    assert agenda(some) == []\n",
        f"def some(n):\n    rows = {ROWS}\n    return rows\n\n\ndef test_a():\n    assert agenda(some(2)) == []\n",
    ],
)
def test_two_rows_nearly_alike_are_made_of_those_that_a_test_builds(text: str) -> None:
    """A second sort key counts only between rows that are equal in the first one."""
    calls = build_spoken_calls({"test_it.py": AGENDA + text})
    call, sell = (
        "Task('call', 'bob', due=5, rank=2, tags=['telephone', 'office hours'])",
        "Task('sell', 'ann', due=3, rank=2)",
    )
    assert f"agenda([{call}, {sell}])" in calls, "due of one and of the other exchanged"
    assert f"agenda([{call.replace('due=5', 'due=3')}, {sell}])" in calls, "due alike"


def test_rows_that_a_test_changes_are_no_values() -> None:
    changed = f"TASKS = {ROWS}\n\n\ndef test_a():\n    TASKS.append(4)\n    assert agenda(TASKS) == []\n"
    assert build_spoken_calls({"test_it.py": AGENDA + changed}) == []
    other = f"def some(n):\n    log(n)\n    return {ROWS}\n\n\ndef test_a():\n    assert agenda(some(1)) == []\n"
    calls = build_spoken_calls({"test_it.py": AGENDA + other})
    assert calls == ["agenda(some(2))", "agenda(some(0))"], "what makes them is called, and not left out"


def test_what_a_test_reads_of_a_result_is_read_of_other_calls() -> None:
    helper = "def names(rows):\n    return [row.name for row in table(rows)]\n\n\n"
    rows = "ROWS = [Row('a', 2), Row('b', 2)]\n\n\n"
    test = "def test_a():\n    assert names(ROWS) == ['a', 'b']\n    assert table(ROWS)[0].name == 'a'\n"
    calls = build_spoken_calls({"test_it.py": f"from league import Row, table\n\n\n{rows}{helper}{test}"})
    assert "[row.name for row in table([Row('a', 2), Row('b', 3)])]" in calls
    assert "table([Row('b', 2), Row('a', 2)])[0].name" in calls


def test_numbers_of_a_parametrised_test_go_on_beyond_the_biggest_unit() -> None:
    numbers = [*range(15), *range(20, 25), 100, 101]
    rows = "".join(f"    ('{number}', 'x'),\n" for number in numbers)
    head = "from words import ordinal\n"
    test = "def test_a(number, text):\n    assert text == number + ordinal(number)\n"
    text = f"{head}ROWS = (\n{rows})\n\n\n@pytest.mark.parametrize('number, text', ROWS)\n{test}"
    calls = build_spoken_calls({"test_it.py": text})
    assert calls == [f"ordinal('{number}')" for number in (30, 31, 32, 33, 34, 200, 201)]
    assert "ordinal(31)" in build_spoken_calls({"t.py": f"{head}def test_a():\n    assert ordinal(21) == 'st'\n"})


def test_the_tests_of_every_line_that_a_joined_repair_edits_are_near() -> None:
    tests = {"test_it.py": "def test_a():\n    assert f(1) == 1\n\n\ndef test_b():\n    assert g(1) == 1\n"}
    coverage = {"test_it.py::test_a": {"p.py": [1]}, "test_it.py::test_b": {"p.py": [9]}}
    joined = Candidate({"p.py": ""}, "s", "o", "p.py", 9, 1.0, 1, before=(("p.py", 1),))
    assert near_tests(tests, coverage, [joined], []) == tests


def test_calls_of_one_function_do_not_take_the_room_of_the_others_and_values_are_no_calls() -> None:
    text = "from datetime import date\nimport pytest\nfrom due import due, quarter\n"
    for year in range(2020, 2025):
        rows = "".join(f"    (date({year}, {n}, 1), {n}, date({year}, {n}, 9)),\n" for n in range(1, 13))
        text += f"\n\n@pytest.mark.parametrize('day, days, wanted', [\n{rows}])\ndef test_{year}(day, days, wanted):\n"
        text += "    assert due(day, days) == wanted\n"
    text += "\n\ndef test_quarter():\n    assert quarter(date(2024, 6, 5)) == 2\n"
    calls = build_spoken_calls({"test_due.py": text})
    assert "quarter(date(2024, 7, 5))" in calls
    assert not any(call.startswith("date(") for call in calls)


def test_a_method_of_what_an_assertion_makes_is_called_with_the_arguments_of_others() -> None:
    text = (
        "from access import Document, User\n\n\ndef test_a():\n"
        "    assert Document('ann').allowed(User('cy', 'guest'), 'delete')\n"
        "    assert not Document('ann').allowed(User('bob', active=False), 'write')\n"
        "    assert name('ann').upper() == 'ANN'\n"
    )
    calls = build_spoken_calls({"test_it.py": text})
    assert "Document('ann').allowed(User('cy', 'guest'), 'write')" in calls
    assert "Document('ann').allowed(User('bob', active=True), 'write')" in calls
    assert all(call.startswith("Document(") for call in calls)
    matrix = "from m import Matrix\n\n\ndef test_a():\n    assert Matrix([[1, 2], [3, 4]], field=7).rank(2).low == 2\n"
    calls = build_spoken_calls({"test_it.py": matrix})
    moved = {"Matrix([[1, 2], [3, 5]], field=7).rank(2).low", "Matrix([[1, 2], [3, 4]], field=8).rank(2).low"}
    assert moved <= {*calls}
    assert "Matrix([[1, 2], [3, 4]], field=7).rank(3).low" in calls
    rows = "@pytest.mark.parametrize('n', [3, 4])\ndef test_a(n):\n    assert Matrix(n).rank(2) == 2\n"
    assert [*seeds_of({"t.py": f"import pytest\nfrom m import Matrix\n\n\n{rows}"})] == []


def test_what_is_passed_by_name_is_turned_left_out_and_exchanged_by_its_name() -> None:
    text = (
        "from fees import fee\n\n\ndef test_a():\n"
        "    assert fee(30, member=True, rate=5) == 1\n"
        "    assert fee(40, rate=7) == 2\n"
        "    assert fee(50, **OPTIONS) == 3\n"
    )
    calls = build_spoken_calls({"test_it.py": text})
    assert {"fee(30, member=False, rate=5)", "fee(30, member=True, rate=6)", "fee(40)"} <= {*calls}
    assert {"fee(30, rate=5)", "fee(30, member=True)", "fee(30, member=True, rate=7)"} <= {*calls}
    assert not any("OPTIONS" in call for call in calls)
    assert "fee(60, member=True, rate=5)" in calls and "fee(40, rate=14)" in calls, "twice as much"
    assert not any("member=5" in call or "rate=True" in call for call in calls)


def test_of_a_long_text_a_few_lines_are_asked_with_the_first() -> None:
    rows = "".join(f"{name},{number}\\n" for number, name in enumerate("abcdefg"))
    head = f"from p import most, read\n\nTEXT = 'name,number\\n{rows}'\n\n\n"
    text = f"{head}def test_a():\n    assert most(read(TEXT), 3) == 6\n"
    calls = build_spoken_calls({"test_it.py": text})
    assert r"most(read('name,number\na,0\nb,1\n'), 3)" in calls and r"most(read('name,number\nb,1\n'), 3)" in calls
    backwards = "".join(reversed([f"{row}\\n" for row in rows.split("\\n")[:-1]]))
    assert f"most(read('name,number\\n{backwards}'), 3)" in calls, "what comes first of equals shows"
    short = text.replace(rows, "a,0\\nb,1\\n")
    assert not any("read('name,number\\na,0\\n')" in call for call in build_spoken_calls({"test_it.py": short}))
