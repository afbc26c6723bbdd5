"""What held in a case that fails: an assertion before the one at which it failed without the repair."""

from __future__ import annotations

from typing import Any, cast

from selfheal_tui.engine.suites.fails_earlier import lost_check
from selfheal_tui.sandbox.base import SuiteReport

TESTS = {
    "tests/test_a.py": "def test_a():\n    assert f(1) == 1\n    for n in (2, 3):\n        assert f(n) == n\n"
    "    assert f(\n        4\n    ) == 4\n"
}


def report(location: str, traceback: str = "", outcome: str = "failed") -> SuiteReport:
    case: Any = {"id": "tests/test_a.py::test_a", "outcome": outcome, "location": location, "traceback": traceback}
    return cast(SuiteReport, {"cases": [case]})


def test_the_assertion_before_is_named() -> None:
    before = report("tests/test_a.py:5")
    assert lost_check(before, report("tests/test_a.py:2"), TESTS) == "`assert f(1) == 1` of test_a"
    inside = report("prog.py:1", 'File "tests/test_a.py", line 2, in test_a\nprog.py:1: KeyError')
    assert lost_check(before, inside, TESTS) == "`assert f(1) == 1` of test_a"


def test_nothing_is_lost_where_it_fails_at_the_same_place_later_or_in_a_loop() -> None:
    assert lost_check(report("tests/test_a.py:5"), report("tests/test_a.py:4"), TESTS) == "", "may hold a few times"
    assert lost_check(report("tests/test_a.py:6"), report("tests/test_a.py:5"), TESTS) == "", "one statement"
    assert lost_check(report("tests/test_a.py:2"), report("tests/test_a.py:5"), TESTS) == ""
    assert lost_check(report("tests/test_a.py:5", outcome="error"), report("tests/test_a.py:2"), TESTS) == ""
    assert lost_check(report("prog.py:5"), report("tests/test_a.py:2"), TESTS) == ""
    assert lost_check(report("tests/test_a.py:5"), report("tests/test_a.py:2"), {}) == ""
