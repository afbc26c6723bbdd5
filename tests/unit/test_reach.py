"""Which test files a change can reach, and that tests named as a folder are never cut down to none."""

from __future__ import annotations

from typing import Any, cast

import pytest

from selfheal_tui.sandbox.base import Suite, SuiteReport
from selfheal_tui.search.hunt.reach import Reach, build_reach

OUTCOMES = {
    "tests/test_a.py::test_red": "failed",
    "tests/test_b.py::test_b": "passed",
    "tests/test_c.py::test_c": "passed",
}
COVERAGE = {
    "tests/test_a.py::test_red": {"a.py": frozenset({1})},
    "tests/test_b.py::test_b": {"a.py": frozenset({1})},
    "tests/test_c.py::test_c": {"c.py": frozenset({1})},
}


def reach(tests: tuple[str, ...], *args: str) -> Reach:
    cases = [cast(Any, {"id": name, "outcome": outcome}) for name, outcome in OUTCOMES.items()]
    return build_reach(Suite({}, tests, (), args), cast(SuiteReport, {"cases": cases}), COVERAGE)


def ids(report: SuiteReport) -> list[str]:
    return [case["id"].partition("::")[2] for case in report["cases"]]


def test_the_files_that_reach_an_edit_confirm_it() -> None:
    whole = reach(("tests/test_a.py", "tests/test_b.py", "tests/test_c.py"))
    near, wide = whole.suite_for(()), whole.suite_for(("a.py",))
    assert near.tests == ("tests/test_a.py",) and ids(whole.report_for(near)) == ["test_red"]
    assert wide.tests == ("tests/test_a.py", "tests/test_b.py") and ids(whole.report_for(wide)) == [
        "test_red",
        "test_b",
    ]
    assert whole.others == {"tests/test_b.py", "tests/test_c.py"}


@pytest.mark.parametrize(("tests", "args"), [(("tests",), ()), ((), ()), (("tests/test_a.py",), ("tests/test_b.py",))])
def test_tests_chosen_otherwise_stay_whole(tests: tuple[str, ...], args: tuple[str, ...]) -> None:
    whole = reach(tests, *args)
    near = whole.suite_for(())
    assert near is whole.suite and ids(whole.report_for(near)) == ["test_red", "test_b", "test_c"]
    assert not whole.others
