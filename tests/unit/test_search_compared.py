"""`__eq__` is left alone where failing cases show that the objects they compare do differ."""

from __future__ import annotations

from typing import Any, cast

import pytest

from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.search.program.avoid import NOTHING, Avoid
from selfheal_tui.search.program.compared import unseen_sides, without_fair_judges

PROGRAM = """class Money:
    def __init__(self, cents, unit="EUR"):
        self.cents, self.unit = cents, unit
    def __eq__(self, other):
        return self.cents == other.cents
    def to(self, unit):
        return Money(self.cents * 2, unit)
def total(amounts):
    return Money(sum(one.cents for one in amounts))
"""
TESTS = """from money import Money, total
def usd(cents):
    return Money(cents, "USD")
def test_f():
    one, other = Money(1), Money(2)
    assert {}
"""
CLOSED = Avoid(functions=frozenset({("money.py", "Money.__eq__")}))


def closed(asserted: str, shown: str, outcome: str = "failed", hints: tuple[tuple[str, int], ...] = ()) -> Avoid:
    case = {"id": "t", "outcome": outcome, "message": f"assert {shown}\n  where", "location": "test_money.py:6"}
    files = {"money.py": PROGRAM, "test_money.py": TESTS.format(asserted)}
    return without_fair_judges(NOTHING, files, ["money.py"], cast(SuiteReport, {"cases": [cast(Any, case)]}), hints)


@pytest.mark.parametrize(
    ("asserted", "shown"),
    [
        ("usd(4).to('EUR') == Money(9)", "Money(8, 'EUR') == Money(9, 'EUR')"),
        ("total([one]) == Money(9)", "Money(1, 'EUR') == Money(9, 'EUR')"),
        ("one + other == Money(3)", "(Money(1) + Money(2)) == Money(3)"),
        ("sorted([one])[-1:] == [Money(-2)]", "[Money(1)] == [Money(-2)]"),
    ],
)
def test_what_the_program_worked_out_and_rightly_differs_closes_the_method(asserted: str, shown: str) -> None:
    assert closed(asserted, shown) == CLOSED
    assert closed(asserted, shown, outcome="passed") == NOTHING
    assert closed(asserted, shown, hints=(("money.py", 5),)) == NOTHING


@pytest.mark.parametrize(
    ("asserted", "shown"),
    [
        ("one == other", "Money(1) == Money(2)"),
        ("usd(4) == Money(4)", "Money(4, 'USD') == Money(4, 'EUR')"),
        ("one.to('EUR') == Money(2)", "Money(2) == Money(2)"),
        ("total([one]) == 2", "Money(1) == 2"),
        ("total([one]) == Money(9)", "<money.Money object at 0x7f> == <money.Money object at 0x8f>"),
        ("total([one]) == Money(9)", "[Money(1), ...] == [Money(9), ...]"),
        ("total([one]) != Money(2)", "Money(2) != Money(2)"),
    ],
)
def test_what_may_be_the_fault_of_the_method_leaves_it_open(asserted: str, shown: str) -> None:
    assert closed(asserted, shown) == NOTHING


def test_objects_that_a_failure_does_not_show_are_told_by_what_they_hold() -> None:
    case: Any = {"id": "t", "outcome": "failed", "location": "test_money.py:6"}
    case["message"] = "assert <money.Money object at 0x7f1> == <money.Money object at 0x7f2>"
    files = {"money.py": PROGRAM, "test_money.py": TESTS.format("total([Money(1)]) == Money(9)")}
    report = cast(SuiteReport, {"cases": [case]})
    assert unseen_sides(files, report) == {"t": ("total([Money(1)])", "Money(9)")}
    told = {"t": ("{'cents': 1}", "{'cents': 9}")}
    assert without_fair_judges(NOTHING, files, ["money.py"], report) == NOTHING
    assert without_fair_judges(NOTHING, files, ["money.py"], report, (), told) == CLOSED
    alike = {"t": ("{'cents': 1}", "{'cents': 1}")}
    assert without_fair_judges(NOTHING, files, ["money.py"], report, (), alike) == NOTHING
    bound = {**files, "test_money.py": TESTS.format("total([one]) == Money(9)")}
    assert unseen_sides(bound, report) == {}, "only the test knows what `one` is"
