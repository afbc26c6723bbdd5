"""Failing cases in groups: by the program's frame, by the function a test calls, by the kind of error."""

from __future__ import annotations

from typing import Any

import pytest

from selfheal_tui.engine.suites.failing_groups import build_groups, group_cases, group_lines, group_words

PROGRAM = {
    "shop/price.py": """\
class Cart:
    def total(self):
        return 1


def last(items):
    return items[len(items)]


def same():
    pass
""",
    "shop/other.py": "def same():\n    pass\n",
}
TESTS = {
    "tests/test_price.py": """\
def test_total():
    assert Cart([]).total() == 0


def test_got():
    got = Cart([]).total()
    want = 0
    assert got == want


def test_raises():
    with pytest.raises(ValueError):
        last([])


def check(value):
    assert value == 0


def test_helped():
    check(Cart([]).total())


def test_same():
    assert same()
"""
}
TEST = "tests/test_price.py"


def case(name: str, message: str, *frames: str, outcome: str = "failed", location: str | None = None) -> dict[str, Any]:
    rows = [row for frame in frames for row in (frame, "    some code")]
    place = location or (frames[-1].partition(" in ")[0] if frames else None)
    traceback = "\n".join([*rows, message])
    return {"id": name, "outcome": outcome, "message": message, "location": place, "traceback": traceback}


def words(*cases: dict[str, Any]) -> list[str]:
    return [group_words(group) for group in group_cases({"cases": cases}, PROGRAM, TESTS)]


def test_the_innermost_frame_of_the_program_and_the_error_make_a_group() -> None:
    raised = ["shop/price.py:7 in last"]
    cases = [
        case(f"{TEST}::test_a", "ValueError: no", f"{TEST}:1 in test_a", *raised),
        case(f"{TEST}::test_b", "IndexError: list", f"{TEST}:2 in test_b", *raised),
        case(f"{TEST}::test_c", "IndexError: list", f"{TEST}:3 in test_c", *raised, "tests/fakes.py:1 in fake"),
        case(f"{TEST}::test_d", "", outcome="passed"),
    ]
    assert words(*cases) == [
        "2 cases fail in shop/price.py last(): IndexError",
        "1 case fails in shop/price.py last(): ValueError",
    ]


@pytest.mark.parametrize(
    ("frames", "function"),
    [
        ((f"{TEST}:2 in test_total",), "Cart.total"),
        ((f"{TEST}:8 in test_got",), "Cart.total"),
        ((f"{TEST}:12 in test_raises",), "last"),
        ((f"{TEST}:21 in test_helped", f"{TEST}:17 in check"), "Cart.total"),
    ],
)
def test_a_wrong_result_belongs_to_what_the_test_calls(frames: tuple[str, ...], function: str) -> None:
    expected = f"1 case fails calling shop/price.py {function}(): AssertionError"
    assert words(case(f"{TEST}::test_x", "assert 1 == 0", *frames)) == [expected]


def test_of_several_functions_that_a_test_calls_an_innocent_one_is_not_named() -> None:
    program = {"db.py": "def where(key): ...\ndef subtract(key): ...\ndef update(how, cond): ...\n"}
    test = "def test_sub():\n    update(subtract(1), where(2))\n    assert where(2)\n"
    more = "def test_where():\n    assert where(2)\ndef test_update():\n    update(0, where(2))\n"
    failing = case("test_db.py::test_sub", "assert 1", "test_db.py:3 in test_sub")
    passing = [case(f"test_db.py::test_{name}", "", outcome="passed") for name in ("where", "update")]

    def told(text: str, *cases: dict[str, Any]) -> str:
        (group,) = group_cases({"cases": cases}, program, {"test_db.py": text})
        return group_words(group)

    assert told(test + more, failing, *passing) == "1 case fails calling db.py subtract(): AssertionError"
    assert told(test + more, failing) == "1 case fails in test_sub (test_db.py): AssertionError"


ACCOUNT = {"fee.py": "class Account:\n    def put(self, n): ...\n    def fee(self): ...\n"}
FEES = """\
def test_started(account):
    assert account.fee() == 2


def test_middle():
    a = Account()
    a.put(2500)
    assert a.fee() == 6


def test_exact():
    a = Account()
    a.put(2000)
    assert a.fee() == 4
"""


def told_of(program: dict[str, str], text: str, *cases: dict[str, Any]) -> str:
    (group,) = group_cases({"cases": cases}, program, {"t.py": text})
    return group_words(group)


def test_what_all_cases_of_a_group_call_is_named() -> None:
    started = case("t.py::test_started", "assert 0 == 2", "t.py:2 in test_started")
    middle = case("t.py::test_middle", "assert 4 == 6", "t.py:8 in test_middle")
    passing = case("t.py::test_exact", "", outcome="passed")
    named = "2 cases fail calling fee.py Account.fee(): AssertionError"
    assert told_of(ACCOUNT, FEES, started, middle, passing) == named
    assert told_of(ACCOUNT, FEES, middle, started) == named


def test_a_group_of_several_cases_is_not_named_after_one_alone() -> None:
    middle = case("t.py::test_middle", "assert 4 == 6", "t.py:8 in test_middle")
    exact = case("t.py::test_exact", "assert 2 == 4", "t.py:14 in test_exact")
    assert told_of(ACCOUNT, FEES, middle, exact) == "2 cases fail in test_middle (t.py) and 1 other: AssertionError"
    assert told_of(ACCOUNT, FEES, middle) == "1 case fails in test_middle (t.py): AssertionError"
    text = FEES + FEES.replace("test_", "test_more_")
    more = [case(f"t.py::test_more_{name}", "assert 1 == 2", f"t.py:{n} in x") for name, n in (("middle", 22),)]
    assert "test_middle (t.py) and 2 others" in told_of(ACCOUNT, text, middle, exact, *more)


def test_a_name_that_several_files_define_is_not_guessed() -> None:
    (line,) = words(case(f"{TEST}::test_same", "assert None", f"{TEST}:25 in test_same"))
    assert line == f"1 case fails in {TEST}: AssertionError"


@pytest.mark.parametrize(
    ("failing", "line"),
    [
        (case("t.py::a", "no result within 5 s", "shop/price.py:7 in last", outcome="timeout"), "times out in "),
        (case("t.py::a", "no result within 5 s", outcome="timeout"), "1 case times out in t.py"),
        (case("t.py", "SyntaxError: invalid", outcome="error", location="shop/price.py:1"), "price.py: SyntaxError"),
        (case("t.py", "it was killed", outcome="error"), "1 case fails in t.py: error"),
        (case("t.py::a", "shop.errors.Bad: x", "shop/price.py:1 in <module>"), "in shop/price.py: shop.errors.Bad"),
        (case("t.py::a", "KeyError", "shop/price.py:70 in gone"), "in shop/price.py gone(): KeyError"),
        (case("t.py::a", "KeyError: 1", "shop/price.py:3 in total"), "in shop/price.py Cart.total(): KeyError"),
    ],
)
def test_cases_without_a_test_line_or_an_error_are_told_too(failing: dict[str, Any], line: str) -> None:
    assert line in words(failing)[0]


def test_one_group_needs_no_list_and_many_are_cut() -> None:
    cases = [case(f"t{number}.py::a", "KeyError: 1") for number in range(8)]
    all_words = words(*cases)
    assert group_lines(all_words[:1]) == []
    lines = group_lines(all_words)
    assert lines[0] == "1. 1 case fails in t0.py: KeyError"
    assert lines[-1] == "and 3 other groups" and len(lines) == 6


def test_hostile_names_stay_on_one_line_and_json_has_all_cases() -> None:
    (group,) = group_cases({"cases": [case("a\x1b[2J\nb.py::x", "KeyError: 1")]}, {}, {})
    assert group_words(group).isprintable()
    (told,) = build_groups([group])
    assert told["cases"] == ["a\x1b[2J\nb.py::x"] and told["in_one_line"] == group_words(group)


def test_a_record_that_a_test_makes_is_not_what_it_asks_about() -> None:
    program = {"shop.py": "class Row:\n    day: str\n\n\ndef most(rows): ...\ndef least(rows): ...\n"}
    test = (
        "def test_tie():\n    assert most([Row('a')]) == 1\n\n\ndef test_none():\n    assert most([]) is None\n"
        "\n\ndef test_made():\n    row = Row('a')\n    assert row.day == 'b'\n"
    )
    tie = case("t.py::test_tie", "assert 2 == 1", "t.py:2 in test_tie")
    passing = case("t.py::test_none", "", outcome="passed")
    assert told_of(program, test, tie, passing) == "1 case fails calling shop.py most(): AssertionError"
    made = case("t.py::test_made", "assert 'a' == 'b'", "t.py:11 in test_made")
    assert told_of(program, test, made, passing) == "1 case fails calling shop.py Row(): AssertionError"


def test_what_stands_below_the_line_that_failed_was_never_called() -> None:
    program = {"orders.py": "class Order:\n    def add(self, n): ...\n\n    def goods(self): ...\n"}
    tests = {
        "test_o.py": "def test_adds_up():\n    o = Order()\n    o.add(2)\n    assert o.lines == [2]\n"
        "    assert o.goods() == 2\n\n\n"
        "def test_add():\n    o = Order()\n    o.add(1)\n    assert o.ok\n"
    }
    adds_up = case("adds_up", "assert [] == [2]", "test_o.py:4 in test_adds_up", location="test_o.py:4")
    report = {
        "cases": [
            {**adds_up, "id": "test_o.py::test_adds_up"},
            {**case("add", ""), "id": "test_o.py::test_add", "outcome": "passed"},
        ]
    }
    (group,) = group_cases(report, program, tests)
    assert group.function != "Order.goods"


def test_where_nothing_was_raised_the_call_within_is_named() -> None:
    program = {"lib.py": "def lend(n): ...\n\n\ndef add(n): ...\n"}
    test = (
        "def test_limit():\n    add(9)\n    with pytest.raises(ValueError):\n        lend(9)\n\n\n"
        "def test_lend():\n    lend(1)\n\n\ndef test_fine():\n    lend(2)\n"
    )
    limit = case("t.py::test_limit", "Failed: DID NOT RAISE <class 'ValueError'>", "t.py:3 in test_limit")
    passing = [case(f"t.py::test_{name}", "", outcome="passed") for name in ("lend", "fine")]
    assert told_of(program, test, limit, *passing) == "1 case fails calling lib.py lend(): Failed"
