"""How long candidates get: an endless loop ends soon, and slow cases come to their end."""

from __future__ import annotations

from typing import Any, cast

import pytest

from selfheal_tui.sandbox.base import Limits, Outcome, Suite, SuiteReport
from selfheal_tui.search.hunt.judging import Judging


def judging(*cases: tuple[Outcome, float]) -> Judging:
    rows = [{"id": f"test_p.py::t{n}", "outcome": how, "duration_s": took} for n, (how, took) in enumerate(cases)]
    report = cast(SuiteReport, {"cases": rows})
    suite = Suite(
        {"p.py": "", "test_p.py": ""}, ("test_p.py",), ("p.py",), limits=Limits(time_s=60.0, case_time_s=20.0)
    )
    return Judging(cast(Any, None), suite, report, {})


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
