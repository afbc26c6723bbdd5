"""What the clock cut off is said in a sentence for each limit, with the flag that raises it."""

from __future__ import annotations

from typing import Any, cast

from selfheal_tui.engine.suites.over_time import over_time_words
from selfheal_tui.sandbox.base import Limits, SuiteReport


def report_of(**messages: str) -> SuiteReport:
    cases: Any = [
        {"id": name, "outcome": "timeout" if message else "passed", "message": message, "duration_s": 0.02}
        for name, message in messages.items()
    ]
    return cast(SuiteReport, {"cases": cases})


def test_each_limit_is_said_once_with_its_flag() -> None:
    over = "the suite's 30 s were over before this case ran"
    report = report_of(a="", b="no result within 5 s", c="no result within 5 s", d=over, e="the suite's 30 s were over")
    assert over_time_words(report, Limits()) == [
        "2 cases of 5 did not run to the end, as the whole run may take 30 s: --suite-time-s 90 gives it more.",
        "b and 1 more case took more than the 5 s that a case may take: --case-time-s 15 gives it more."
        " If it never ends, --case-time-s 0.5 waits less.",
    ]
    # Beside slow cases it is one too.
    report["cases"][0]["duration_s"] = 0.4
    assert over_time_words(report, Limits())[1].endswith("gives it more.")
    report["cases"][0]["duration_s"] = 0.02
    assert over_time_words(report, Limits(case_time_s=0.5))[1].endswith("--case-time-s 1.5 gives it more.")
    assert over_time_words(report_of(a=""), Limits()) == []
