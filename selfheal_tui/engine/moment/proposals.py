"""What a moment asks about, in few words. Pure."""

from __future__ import annotations

from selfheal_tui.text import plural

from .gist import change_words, diagnosis_words
from .snapshot import Snapshot


def proposal_words(snapshot: Snapshot) -> tuple[str, int | None]:
    """Say what a moment asks about, empty for nothing; and how many cases pass with the first of its repairs."""
    if not snapshot.candidates:
        asks = snapshot.pending == "diagnosis" and snapshot.diagnosis is not None
        return diagnosis_words(snapshot.diagnosis) if asks and snapshot.diagnosis else "", None
    first = next(iter(snapshot.candidates.values()))
    now, report = snapshot.tests if first.get("of_test") else snapshot.program, first.get("report")
    words = f"{plural(len(snapshot.candidates), 'repair')}, 1: {change_words(now, first['changes'])}"
    if report is None:
        return words, None
    total = sum(report[name] for name in ("passed", "failed", "errors", "timeouts")) + len(snapshot.waiting)
    return f"{words}, with it {report['passed']}/{total} pass", report["passed"]
