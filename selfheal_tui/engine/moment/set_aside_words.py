"""The words for failing cases and test files that were set aside: they did not run here, or flip. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selfheal_tui.text import one_line, plural

_MOST_NAMED = 3
_LONGEST = 300


def passing_words(report: Mapping[str, Any], healed_by: str) -> str:
    """Say what passes in a green run, and what did not run: `1 of 3 failing cases passes after 1 repair; 2 could ...`.

    `healed_by` is the end of the first part: `after 1 repair`.
    """
    aside, passed = set_aside_words(report), report["passed"]
    cases = [name for name in report.get("set_aside", {}) if "::" in name]
    other_cases = report.get("red_only_here", ())
    first_failed = report.get("first_failed", 0) - len(other_cases)
    left = sum(name not in other_cases for name in cases)
    mended = max(0, first_failed - left) if cases else 0
    if mended and mended == first_failed:
        all_failing = {1: "The failing case passes", 2: "Both failing cases pass"}
        words = f"{all_failing.get(mended, f'All {mended} failing cases pass')} {healed_by}"
    elif mended:
        words = f"{mended} of {plural(first_failed, 'failing case')} {'passes' if mended == 1 else 'pass'} {healed_by}"
    elif aside:
        ran = {1: "The only case that ran passes", 2: "Both cases that ran pass"}
        words = f"{ran.get(passed, f'All {passed} cases that ran pass')} {healed_by}"
    else:
        all_ = {1: "The only case passes", 2: "Both cases pass"}.get(passed, f"All {passed} cases pass")
        words = f"{all_} {healed_by}"
    return f"{words}; {aside}." if aside else f"{words}."


def set_aside_words(report: Mapping[str, Any]) -> str:
    """Say what of a session's tests was set aside: `2 could not run here: test_a (needs the network: ...), test_b`."""
    brief: Mapping[str, str] = report.get("set_aside", {})
    flaky = [name for name in brief if name in report.get("flaky", ())]
    files = [name for name in brief if "::" not in name]
    blocked = [name for name in brief if name not in flaky and name not in files]
    kind = "other case" if {*blocked} <= {*report.get("red_only_here", ())} else "failing case"
    parts = []
    if blocked:
        parts.append(f"{plural(len(blocked), kind)} could not run here: {_listed(blocked, brief)}")
    if files:
        parts.append(f"{plural(len(files), 'test file')} could not be collected: {_listed(files, brief)}")
    if flaky:
        are = "is" if len(flaky) == 1 else "are"
        parts.append(f"{plural(len(flaky), 'case')} {are} flaky: {_listed(flaky, {})}")
    return "; ".join(parts)


def _listed(names: Sequence[str], brief: Mapping[str, str]) -> str:
    shown = [_short(name) + (f" ({one_line(brief[name], _LONGEST)})" if name in brief else "") for name in names]
    more = [f"and {len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
    return " ".join([", ".join(shown[:_MOST_NAMED]), *more])


def _short(name: str) -> str:
    """Return a case's own name, and of a file its path."""
    return one_line(name.partition("::")[2] or name, 100)
