"""What an edit leaves without a use or an effect, which way out may go, and what is quoted of the cases."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.search.blame import PlaceEffect, Searched, explain
from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.weigh.guards import stepped_lines, ways_out
from selfheal_tui.search.weigh.joined import is_minimal, joined_candidates, minimal_candidates
from selfheal_tui.search.weigh.marks import find_marks
from selfheal_tui.search.weigh.neutral import dearer_where_neutral, neutral_terms
from selfheal_tui.search.weigh.unused import unused_name

DISCOUNT = "def discount(cents, percent):\n    off = cents * percent // 10\n    return cents - off\n"
GUARD = (
    "def share(n):\n    if n <= 1:\n        raise ValueError\n    for i in range(n):\n        n += i\n    return n\n"
)
CALLS = "f(1)\nf(2)\nf(3)\nf(4)\n"


def unused(before: str, after: str) -> str:
    return unused_name(ast.parse(before), ast.parse(after))


def test_a_name_whose_last_use_goes_away_is_marked() -> None:
    dropped = DISCOUNT.replace(" * percent", "")
    (mark,) = find_marks({"p.py": DISCOUNT}, {"p.py": dropped}, {})
    assert (mark.kind, mark.why) == ("unused", "The parameter `percent` is used no more.")
    assert unused(DISCOUNT, DISCOUNT.replace("- off", "- percent")) == "The variable `off` is used no more."
    method = "class A:\n    def f(self, n):\n        return self.m(n)\n"
    assert unused(method, method.replace("m(n)", "m(1)")) == "The parameter `n` is used no more."


@pytest.mark.parametrize(
    "after",
    [
        DISCOUNT.replace("10", "100"),
        DISCOUNT.replace("    off = cents * percent // 10\n", "").replace("off", "percent"),
        DISCOUNT.replace("discount", "price").replace(" * percent", ""),
    ],
)
def test_names_that_are_still_used_or_gone_are_not_marked(after: str) -> None:
    assert unused(DISCOUNT, after) == ""


def test_self_is_no_name_that_must_be_used() -> None:
    method = "class A:\n    def f(self, n):\n        return self.m(n)\n"
    assert unused(method, method.replace("self.m(n)", "n")) == ""


def test_terms_without_an_effect_make_an_edit_dearer() -> None:
    assert neutral_terms("a - 0, 0 + a, a * 1, a // 1, a ** 1, a or False, a and True, a + 1 - 1\n") == 8
    assert neutral_terms("0 - a, a - 1, a or True, a and False, a - 1 - 1, a + 1 - 2, 1 // a\na += 1\n") == 0
    before, text = {"p.py": "n = len(x) - 1\n"}, "n = len(x) - 0\n"
    zero = Candidate({"p.py": text}, "zero", "x", "p.py", 1, 1.0, 2)
    plain = replace(zero, changes={"p.py": "n = len(x)\n"})
    assert dearer_where_neutral(before, plain) == plain
    assert dearer_where_neutral(before, zero).cost > 3
    assert dearer_where_neutral({"p.py": text}, zero) == zero


def test_a_way_out_may_go_where_its_own_condition_changes() -> None:
    assert ways_out(GUARD, GUARD.replace("<=", "<")) == {3}
    assert ways_out(GUARD, GUARD.replace("n <= 1", "False")) == set()
    assert ways_out(GUARD, GUARD.replace("range(n)", "range(n, 0)")) == set()
    assert ways_out(GUARD.replace("raise ValueError", "n = 2"), GUARD.replace("<=", "<")) == set()


FEE = """def fee(days, note):
    if days < 14:
        return 0
    while note:
        if not note:
            note = "late"
        days += 1
        break
    return days
"""


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("days < 14", "days <= 14", {3, 4, 5, 6, 7, 8, 9}),
        ("days < 14", "days < 15", {3, 4, 5, 6, 7, 8, 9}),
        ("days < 14", "days + 1 < 14", {3, 4, 5, 6, 7, 8, 9}),
        ("not note", "note is None", {6}),
        ("not note", "not note and note is None", {6}),
        ("while note", "while note is not None", {5, 6, 7, 8, 9}),
        ("not note", "note", set()),
        ("not note", "note is not None", set()),
        ("days < 14", "days > 14", set()),
        ("days < 14", "days < 19", set()),
        ("days < 14", "days", set()),
        ("days < 14", "True", set()),
        ("days < 14", "days < 14 or note", set()),
        ("    while note", "    return 0\n    while note", set()),
        ("return 0", "return 1", set()),
    ],
)
def test_a_condition_that_moves_by_one_step_may_free_what_it_guards(old: str, new: str, lines: set[int]) -> None:
    assert stepped_lines(FEE, FEE.replace(old, new)) == lines


def test_a_joined_edit_that_mends_nothing_is_left_out() -> None:
    parts = [
        Candidate({"p.py": CALLS.replace(f"({n})", f"(1{n})")}, f"line {n}: x", "x", "p.py", n, 1.0, 1, fixes=(case,))
        for n, case in ((1, "a"), (2, "b"), (4, "c"))
    ]
    (joined,) = joined_candidates({"p.py": CALLS}, parts, {})
    assert is_minimal(replace(joined, fixes=("a", "b", "c")))
    idle = replace(joined, fixes=("a", "c"))
    assert not is_minimal(idle)
    (smaller,) = minimal_candidates({"p.py": CALLS}, [idle], parts)
    assert smaller.summary == "2 independent edits: line 1: x; line 4: x"
    assert smaller.changes == {"p.py": "f(11)\nf(2)\nf(3)\nf(14)\n"}
    assert minimal_candidates({"p.py": CALLS}, [replace(joined, fixes=("a",))], parts) == []


def test_a_case_that_the_edit_mends_is_quoted() -> None:
    def case(name: str, expected: str, actual: str) -> CaseResult:
        return {
            "id": f"test_p.py::{name}",
            "outcome": "failed",
            "message": "AssertionError",
            "detail": "",
            "expected": expected,
            "actual": actual,
            "duration_s": 0.0,
            "output": "",
        }

    cases = [case("test_top", "['Cid']", "['Bob']"), case("test_average", "4.000000001", "6.000000001")]
    report: SuiteReport = {"cases": cases}  # type: ignore[typeddict-item]
    place: PlaceEffect = {
        "file": "p.py",
        "line": 2,
        "edit": "`1` becomes `0`",
        "together": False,
        "fixes": ["test_p.py::test_average"],
        "breaks": 0,
        "whole": False,
        "alike": 1,
    }
    cause = explain(report, Searched([place], 9, True, 0, 0.0), [], {"p.py": "a = 1\n"})["cause"]
    assert "`test_average` expected 4.000000001" in cause
    assert "test_top" not in cause
