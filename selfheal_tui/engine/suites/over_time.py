"""What of a run was cut off by the clock, a sentence for each limit, with the flag that raises it."""

from __future__ import annotations

from collections.abc import Sequence

from selfheal_tui.sandbox.base import Limits, SuiteReport
from selfheal_tui.text import plural

_SUITE_OVER = "the suite's "
"""How the message of a case begins that the end of the whole run cut off."""


_SOON_S, _FAR = 0.5, 5
"""The least that is proposed for a case, and how many times as long as all others that has to be."""


def over_time_words(report: SuiteReport, limits: Limits) -> list[str]:
    """Say which cases were cut off; nothing where none was."""
    late = [case for case in report["cases"] if case["outcome"] == "timeout"]
    unrun = [case["id"] for case in late if case["message"].startswith(_SUITE_OVER)]
    slow = [case["id"] for case in late if not case["message"].startswith(_SUITE_OVER)]
    sentences = []
    if unrun:
        cases = plural(len(unrun), "case")
        sentences.append(
            f"{cases} of {len(report['cases'])} did not run to the end, as the whole run may take "
            f"{limits.time_s:g} s: --suite-time-s {3 * limits.time_s:g} gives it more."
        )
    if slow:
        others = [case["duration_s"] for case in report["cases"] if case["outcome"] != "timeout"]
        # Beside quick cases it is more often a loop that never ends, and then each run of the suite waits for it.
        soon = f" If it never ends, --case-time-s {_SOON_S:g} waits less."
        is_odd = others and _FAR * max(others) < _SOON_S < limits.case_time_s
        sentences.append(
            f"{_names(slow)} took more than the {limits.case_time_s:g} s that a case may take: "
            f"--case-time-s {3 * limits.case_time_s:g} gives it more.{soon if is_odd else ''}"
        )
    return sentences


def _names(cases: Sequence[str]) -> str:
    return cases[0] if len(cases) == 1 else f"{cases[0]} and {plural(len(cases) - 1, 'more case')}"
