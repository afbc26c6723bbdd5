"""A condition that, once mended, asks what another function of the program asks, but for names."""

from __future__ import annotations

import pytest

from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.weigh.behaviour import build_behaviours
from selfheal_tui.search.weigh.found import build_ranking
from selfheal_tui.search.weigh.repeated import repeated_conditions
from selfheal_tui.search.weigh.signs import Signs

DATES = """def due(start, holidays):
    if {}:
        return 0
    return start

def later(day, holidays):
    while {}:
        day += 1
    return day
"""
OTHER = "weekend(day) or day in holidays"


@pytest.mark.parametrize(
    ("condition", "other", "repeated"),
    [
        ("weekend(start) or start in holidays", OTHER, True),
        ("weekend(start) and start not in holidays", OTHER, False),
        ("weekend(start) or start not in holidays", OTHER, False),
        ("weekend(start) or holidays in start", OTHER, False),
        ("weekend(start) or holidays in holidays", OTHER, False),
        ("workday(start) or start in holidays", OTHER, False),
        ("start or holidays", "day or holidays", False),
        ("start > 0", "day > 0", False),
    ],
)
def test_a_condition_is_repeated_where_another_function_has_it_with_other_names(
    condition: str, other: str, repeated: bool
) -> None:
    before = DATES.format("weekend(start) and start in holidays", other)
    after = DATES.format(condition, other)
    assert repeated_conditions(before, after) is repeated


def test_a_condition_that_was_repeated_before_says_nothing() -> None:
    text = DATES.format("weekend(start) or start in holidays", OTHER)
    assert not repeated_conditions(text, text.replace("return 0", "return 1"))
    assert not repeated_conditions(text, "def f(:\n")


def test_a_condition_twice_in_one_function_says_nothing() -> None:
    text = "def f(a, b):\n    if a > 1 {} b > 1:\n        return 1\n    if b > 1 or a > 1:\n        return 2\n"
    assert not repeated_conditions(text.format("and"), text.format("or"))


def test_of_equal_repairs_the_one_with_a_repeated_condition_goes_first() -> None:
    rows = [Candidate({"p.py": name}, name, "x", "p.py", 1, 2.0, 3, complete=True) for name in ("one", "two")]
    behaviours = build_behaviours(["0"], [["1"], ["2"]])
    ranked = build_ranking(rows, behaviours, ["f(0)"], [Signs(), Signs(repeats=True)]).candidates
    assert [one.summary for one in ranked] == ["two", "one"]
