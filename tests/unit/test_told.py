"""What a user says that a call should give, and examples of a text that a program does not give."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from selfheal_tui.cli.completers import wrong_calls
from selfheal_tui.engine.moment.state import HealState
from selfheal_tui.engine.moment.unsettled import question_about, rest_of_examples, unsettled_words
from selfheal_tui.engine.suites.answers import MOST_QUESTIONS, answers_suite, may_ask
from selfheal_tui.engine.suites.told import read_told, told_answers, told_now
from selfheal_tui.engine.suites.unmet import examples_file, text_examples, unmet_in
from selfheal_tui.errors import InputError
from selfheal_tui.sandbox.base import SuiteReport

PROGRAM = {"fee.py": "def fee(n):\n    return n\n", "kit/cart.py": "class Cart:\n    pass\n"}


@pytest.mark.parametrize(
    ("sentence", "call", "answer"),
    [
        ("f(3) == 5", "f(3)", "5"),
        ("f(3) gives 4, should be 5", "f(3)", "5"),
        ("f(3) is 4 but should be 5.", "f(3)", "5"),
        ("f(3) should be 5", "f(3)", "5"),
        ("`f(3)` should return `[1, 'a']`", "f(3)", "[1, 'a']"),
        ("f(3) should raise ValueError", "f(3)", "!ValueError"),
        ("f(3) gives 4, should raise a json.JSONDecodeError", "f(3)", "!JSONDecodeError"),
        ("f(3) raises KeyError, it should be None", "f(3)", "None"),
        ("f('a should be b', x == 2) should be 'c, should be d'", "f('a should be b', x == 2)", "'c, should be d'"),
        ("Cart( 2 ).total() == -1.5", "Cart(2).total()", "-1.5"),
        ("due(date(2024, 1, 5)) should be date(2024,1,8).", "due(date(2024, 1, 5))", "date(2024, 1, 8)"),
        ("f(3) == [Point(x=1, y=2)]", "f(3)", "[Point(x=1, y=2)]"),
        ("b = Box(2); b.put('x'); b.size should be 1", "[b := Box(2), b.put('x'), b.size][-1]", "1"),
        (
            "b = Box(2); b.most = 3; b.put(4) should raise Full",
            "[b := Box(2), setattr(b, 'most', 3), b.put(4)][-1]",
            "!Full",
        ),
        ("b.size() (after b = Box(2); b.put(1)) gives 2, should be 1", "[b := Box(2), b.put(1), b.size()][-1]", "1"),
    ],
)
def test_a_sentence_says_what_a_call_should_give(sentence: str, call: str, answer: str) -> None:
    assert read_told(sentence) == (call, answer)


@pytest.mark.parametrize(
    "sentence",
    [
        *("", "f(3) is odd", "f should be 5", "f(3) should be x", "f(3) should not be 5"),
        *("b = Box(2) should be 1", "import os; os.getcwd() should be 1", "b = 2; b should be 3"),
    ],
)
def test_anything_else_is_refused_in_a_sentence(sentence: str) -> None:
    with pytest.raises(InputError, match="does not say what a call should give"):
        read_told(sentence)


def test_what_is_told_becomes_cases_of_the_modules_that_are_called() -> None:
    told = told_answers(["fee(3) == 5", "Cart().total() should be 1", "fee(3) should be 5"], PROGRAM)
    assert told == [["fee(3)", "5"], ["Cart().total()", "1"]]
    first, second = answers_suite(told, PROGRAM, ()).values()
    assert "from fee import fee" in first and "from kit.cart import Cart" in second
    with pytest.raises(InputError, match=r"No case can be made of 'g\(3\)'"):
        told_answers(["g(3) == 4"], PROGRAM)
    tests = {"test_shop.py": "def test_total():\n    c = Cart()\n    assert c.total() == 3\n"}
    with pytest.raises(InputError, match=r"total is a method: call it of an object, as Cart\(\.\.\.\)\.total\(\)"):
        told_answers(
            ["total() should be 0"], {"cart.py": "class Cart:\n    def total(self):\n        return 1\n"}, tests
        )
    with pytest.raises(InputError, match=r"fee\(3\) cannot be 4 and 5"):
        told_answers(["fee(3) == 4", "fee(3) should be 5"], PROGRAM)


DATES = {
    "due.py": "from dataclasses import dataclass\nfrom datetime import date, timedelta\n\n\n"
    "@dataclass\nclass Slot:\n    day: date\n\n\nclass Plain:\n    pass\n\n\n"
    "def due(day):\n    return day + timedelta(days=3)\n\n\ndef slot(day):\n    return Slot(due(day))\n"
}


def test_an_answer_that_is_no_literal_is_compared_as_a_value_where_it_can_be() -> None:
    told = [
        ["due(date(2024, 1, 5))", "datetime.date(2024, 1, 8)"],
        ["slot(date(2024, 1, 5))", "Slot(day=datetime.date(2024, 1, 8))"],
        ["plain(1)", "Plain()"],
    ]
    program = {"due.py": DATES["due.py"] + "\n\ndef plain(n):\n    return Plain()\n"}
    tests = {"test_due.py": "from datetime import date\n\nfrom due import due\n"}
    (text,) = answers_suite(told, program, (), tests).values()
    assert "assert due(date(2024, 1, 5)) == date(2024, 1, 8)" in text
    assert "assert slot(date(2024, 1, 5)) == Slot(day=date(2024, 1, 8))" in text
    assert "assert shown.strip() == 'Plain()'" in text, "two objects of a plain class are never equal"
    names: dict[str, object] = {}
    exec(program["due.py"], names)
    module = ModuleType("due")
    vars(module).update(names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "due", module)
        cases: dict[str, Any] = {}
        exec(text, cases)
        for name in [name for name in cases if name.startswith("test_") and "plain" not in name]:
            cases[name]()


STUBS = """import time
from dataclasses import dataclass

import pytest
from due import due

START = 5


@dataclass
class Clock:
    now: int = START

    def __call__(self):
        return time.gmtime(self.now)


def later(clock, hours):
    clock.now += hours
    return clock


@pytest.fixture
def clock():
    return Clock()


def test_due():
    assert due(Clock()) == 3
"""


def test_what_the_tests_define_stands_in_the_case_itself() -> None:
    told = [["due(later(Clock(), 2))", "3"], ["due(1)", "!ValueError"]]
    (text,) = answers_suite(told, {"due.py": "def due(clock):\n    return 3\n"}, (), {"test_other.py": STUBS}).values()
    assert "assert due(later(Clock(), 2)) == 3" in text
    assert "import later" not in text and "def clock" not in text
    start, clock, later = (text.index(part) for part in ("START = 5", "@dataclass\nclass Clock", "def later"))
    assert start < clock and clock != later
    module = ModuleType("due")
    vars(module)["due"] = lambda clock: 3 if clock != 1 else int("x")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "due", module)
        cases: dict[str, Any] = {}
        exec(text, cases)
        for name in [name for name in cases if name.startswith("test_")]:
            cases[name]()


def test_what_contradicts_a_test_is_refused_at_once() -> None:
    rows = "@pytest.mark.parametrize('n, wanted', [(1, 1), (2, 2)])\n"
    rows += "def test_rows(n, wanted):\n    assert fee(n) == wanted\n"
    tests = {"test_fee.py": f"from fee import fee\n\n\ndef test_one():\n    assert fee(3) == 3\n\n\n{rows}"}
    for sentence, where in (
        ("fee(3) should be 5", "test_one, which expects fee(3) == 3"),
        ("fee(2) == 7", "test_rows[1]"),
    ):
        with pytest.raises(InputError) as error:
            told_answers([sentence], PROGRAM, tests)
        assert f"contradicts test_fee.py::{where}" in str(error.value)
    assert told_answers(["fee(3) == 3", "fee(9) == 4"], PROGRAM, tests) == [["fee(3)", "3"], ["fee(9)", "4"]]


@pytest.mark.parametrize(
    ("sentence", "now"),
    [("f(3) gives 4, should be 5", "4"), ("f(3) is 'a' but should be 'b'", "'a'"), ("f(3) should be 5", "")],
)
def test_what_a_call_gives_now_may_be_said(sentence: str, now: str) -> None:
    assert told_now(sentence) == now


def test_an_answer_of_a_type_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InputError, match=r"What due\(1\) should be names Solt, which neither the program nor"):
        told_answers(["due(1) should be Solt(3)"], DATES)


def test_what_nobody_asked_for_is_no_question() -> None:
    answers = [[f"f({n})", "1"] for n in range(MOST_QUESTIONS)]
    state: HealState = {"answers": answers}  # type: ignore[typeddict-item]
    assert not may_ask(state)
    assert may_ask({**state, "volunteered": 1})
    assert not may_ask({**state, "volunteered": 1, "unknown": ["f(9)"]})


def test_a_shell_offers_the_functions_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "fee.py"
    path.write_text(PROGRAM["fee.py"])
    assert wrong_calls(Namespace(paths=[str(path), "no.py"])) == ["fee("]


def test_examples_that_the_program_does_not_give() -> None:
    text = 'def fee(n):\n    """Return it.\n\n    >>> fee(1)\n    5\n    >>> fee(2)\n    2\n    """\n'
    program = {"fee.py": text}
    examples = text_examples(program, "fee(-1) raises ValueError. fee(7) raises LookupError.")["fee"]
    assert [(says, one.call) for says, one in examples] == [
        ("specification", "fee(-1)"),
        ("specification", "fee(7)"),
        ("docstring", "fee(1)"),
        ("docstring", "fee(2)"),
    ]
    (file,) = examples_file("fee", examples, ()).values()
    assert file.count("assert fee(") == 4, "one case for each, in their order"
    failed = {"outcome": "failed", "message": "", "location": "fee.py:3", "actual": None}
    cases = [
        {**failed, "id": "test_examples.py::test_fee_minus_1", "actual": "-1"},
        {**failed, "id": "test_examples.py::test_fee_7", "message": "KeyError: 7"},
        {**failed, "id": "test_examples.py::test_fee_1", "message": "fee.Odd: 1"},
    ]
    report: SuiteReport = {"cases": cases}  # type: ignore[typeddict-item]
    unmet, untried = unmet_in(examples, file, report, ["fee.py"])
    assert untried == 1, "what has no result is counted"
    assert [unsettled_words(one) for one in unmet] == [
        "The specification says that fee(-1) raises ValueError, and it gives -1.",
        "The docstring says that fee(1) gives 5, and it raises Odd.",
    ]
    question = question_about(unmet[0])
    assert [one["text"] for one in question["answers"]] == ["!ValueError", "-1"] and question["now"] == "-1"


def test_every_docstring_is_read_by_itself_and_all_of_its_examples_are_tried() -> None:
    many = "\n".join(f"    >>> fee({n})\n    {n}" for n in range(70))
    fee = f'def fee(n):\n    """Return it.\n\n{many}\n    """\n'
    pretty = 'def bar(n):\n    """Make pretty output.\n\n    >>> bar(1)\n    \'a\'\n    >>> bar(2)\n    text\n    """\n'
    steps = 'def step(n):\n    """Step.\n\n    >>> n = 1\n    >>> step(n)\n    2\n    """\n'
    other = 'def fee(n):\n    """Return another.\n\n    >>> n = fee(5)\n    >>> fee(1)\n    7\n    """\n'
    examples = text_examples({"fee.py": fee + pretty + steps, "other.py": other}, "")
    assert [one.call for _, one in examples["fee"]] == [*(f"fee({n})" for n in range(70)), "bar(1)"]
    rough = (
        pretty.replace("'a'", "[1, ..., 3]").replace("bar(2)", "bar(2)  # doctest: +ELLIPSIS").replace("text", "'a...'")
    )
    assert "bar(1)\n    [1, ..., 3]" in rough
    assert text_examples({"fee.py": rough}, "") == {}
    assert [(one.call, one.value) for _, one in examples["other"]] == [("fee(1)", "7")]
    last = examples["fee"][-1:]
    (file,) = examples_file("fee", last, ()).values()
    assert "assert bar(1) == 'a'" in file
    for now, told in (("'b'", 1), ("None", 0)):
        case = {"id": "test_examples.py::test_bar_1", "outcome": "failed", "message": "", "location": "", "actual": now}
        report: SuiteReport = {"cases": [case]}  # type: ignore[typeddict-item,list-item]
        assert len(unmet_in(last, file, report, ["fee.py"])[0]) == told, "a call that prints gives nothing to compare"


def test_what_was_not_tried_of_examples_is_counted() -> None:
    assert rest_of_examples(0, 0, 9) == ""
    assert rest_of_examples(1, 0, 30) == "1 more documented example does not hold either."
    assert rest_of_examples(2, 1, 30) == (
        "2 more documented examples do not hold either. "
        "1 of 30 documented examples gave no result in time: whether it holds is not known."
    )
