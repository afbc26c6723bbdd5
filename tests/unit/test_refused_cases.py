"""A repair that adds a check: cases that want a value and end at its `raise` speak against it."""

from __future__ import annotations

from typing import Any, cast

from selfheal_tui.engine.workshop.rehearsal import refused_words
from selfheal_tui.sandbox.base import SuiteReport

BEFORE = {"roman.py": "def value(text):\n    if not text:\n        raise ValueError(text)\n    return 1\n"}
AFTER = {
    "roman.py": BEFORE["roman.py"].replace("    return 1", "    if text:\n        raise ValueError(text)\n    return 1")
}


def report(*frames: str) -> SuiteReport:
    cases: list[dict[str, Any]] = [
        {"id": f"t.py::{n}", "outcome": "failed", "traceback": f"t.py:9 in a\n{frame}\nError", "location": None}
        for n, frame in enumerate(frames)
    ]
    return cast(SuiteReport, {"cases": cases})


def test_cases_that_end_at_a_new_raise_are_counted() -> None:
    new, old = "roman.py:5 in value", "roman.py:3 in value"
    assert refused_words(BEFORE, AFTER, report(new, old)) == (
        "1 case that still fails ends at its `raise`: it refuses what is wanted."
    )
    assert refused_words(BEFORE, AFTER, report(new, new)).startswith("2 cases that still fail end at its `raise`")
    assert refused_words(BEFORE, AFTER, report(old)) == "", "that one was there"
    assert refused_words(BEFORE, {"roman.py": BEFORE["roman.py"].replace("1", "2")}, report(new)) == ""
