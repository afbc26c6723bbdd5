"""How long candidates get: an endless loop ends soon, and slow cases come to their end."""

from __future__ import annotations

from typing import Any, cast

import pytest

from selfheal_tui.sandbox.base import Limits, Outcome, Suite, SuiteReport
from selfheal_tui.search.hunt.judging import Judging
from selfheal_tui.search.program.purified import NO_COPIES, Purified


def judging(*cases: tuple[Outcome, float], copies: Purified = NO_COPIES) -> Judging:
    rows = [{"id": f"test_p.py::t{n}", "outcome": how, "duration_s": took} for n, (how, took) in enumerate(cases)]
    report = cast(SuiteReport, {"cases": rows})
    suite = Suite(
        {"p.py": "", "test_p.py": ""}, ("test_p.py",), ("p.py",), limits=Limits(time_s=60.0, case_time_s=20.0)
    )
    return Judging(cast(Any, None), suite, report, {}, copies=copies)


@pytest.mark.parametrize(
    ("cases", "case_s", "candidate_s"),
    [
        ((("passed", 0.001), ("failed", 0.001)), 1.0, 0.17),
        ((("passed", 0.5), ("failed", 0.001)), 5.0, 2.0),
        # Only what fails is slow: a repaired one takes as long.
        ((("passed", 0.001), ("failed", 1.5)), 15.0, 2.4),
        ((("passed", 1.0), ("failed", 4.0)), 20.0, 7.65),
        # What never ended says nothing of how long it takes.
        ((("passed", 0.001), ("timeout", 5.0)), 1.0, 0.16),
    ],
)
def test_slow_cases_come_to_their_end(
    cases: tuple[tuple[Outcome, float], ...], case_s: float, candidate_s: float
) -> None:
    judge = judging(*cases)
    assert judge.suite.limits.case_time_s == case_s
    assert judge._sift_limits.time_s == pytest.approx(candidate_s, abs=0.01)


@pytest.mark.parametrize("took", [(0.001, 0.001, 0.001), (0.06, 0.001, 0.02), (0.01, 0.2, 0.001)])
def test_what_else_the_machine_does_decides_no_order(took: tuple[float, ...]) -> None:
    failing = judging(*(("failed", seconds) for seconds in took)).failing
    assert failing == ["test_p.py::t0", "test_p.py::t1", "test_p.py::t2"]


def test_slow_cases_come_last() -> None:
    failing = judging(("failed", 3.0), ("failed", 0.001), ("timeout", 0.5)).failing
    assert failing == ["test_p.py::t1", "test_p.py::t0", "test_p.py::t2"]


def test_a_copy_of_a_test_comes_after_those_of_the_suite() -> None:
    copies = Purified(checks={"test_p.py::t0": "assert f(1) == 2"})
    failing = judging(("failed", 0.001), ("failed", 0.8), copies=copies).failing
    assert failing == ["test_p.py::t1", "test_p.py::t0"]
