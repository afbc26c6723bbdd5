"""Glyphs and short words of the app: one place, so that no state is told by colour alone.

What the command line and exports say as well stands in `engine/moment/words.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import one_line, outcome_word

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.sandbox.base import SuiteReport

OUTCOMES: dict[str, tuple[str, str]] = {
    "healed": ("✓", "$text-success"),
    "nothing_to_heal": ("✓", "$text-success"),
    "waiting": ("◆", "$text-warning"),
    "running": ("▸", "$text-primary"),
    "": ("▸", "$text-primary"),
    "gave_up": ("✗", "$text-error"),
    "stalled": ("≡", "$text-error"),
    "budget": ("▪", "$text-error"),
    "damaged": ("!", "$text-error"),
    "other_version": ("!", "$text-warning"),
    "stopped": ("■", "$foreground 60%"),
    "failed": ("!", "$text-error"),
}
"""Outcome -> glyph, style."""


def outcome_words(outcome: str) -> tuple[str, str, str]:
    """Return glyph, word and style; an unknown outcome shows as itself."""
    glyph, style = OUTCOMES.get(outcome, ("·", "$foreground 60%"))
    return glyph, "your decision" if outcome == "waiting" else outcome_word(outcome), style


def time_words(seconds: float) -> str:
    """Say how long: `12 s`, `3 min 05 s`, `2 h 07 min`; empty below a second."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s" if whole else ""
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def role_words(models: Mapping[str, str]) -> str:
    """Name the model of all roles, then of each role that has another: `search, debugger: ollama:qwen3`."""
    most = models.get("*", SEARCH)
    return ", ".join([most, *(f"{role}: {name}" for role, name in models.items() if name != most)])


def case_name(case_id: str) -> str:
    """Return a test's short name: the part after the file, on one line."""
    return one_line(case_id.partition("::")[2] or case_id, 80)


def names(case_ids: Collection[str], limit: int = 4) -> str:
    """List cases by short name; a long list is cut and says by how much."""
    short_names = [case_name(c) for c in list(case_ids)[:limit]]
    more = len(case_ids) - len(short_names)
    return ", ".join(short_names) + (f" and {more} more" if more > 0 else "")


def report_now(snapshot: Snapshot) -> SuiteReport | None:
    """Return the suite's result over the code that is shown; a repair that has just gone in has none yet."""
    return None if snapshot.node == "apply" else snapshot.report


def counts(snapshot: Snapshot) -> str:
    """Say how many cases pass: `3 of 7 pass`; empty while the suite has not run over this code."""
    report = report_now(snapshot)
    if report is None:
        return ""
    total = len(report["cases"]) or sum(report[k] for k in ("passed", "failed", "errors", "timeouts", "skipped"))
    return f"{report['passed']} of {total} pass"


def marks_told(why: str, said: str) -> str:
    """Return what an edit does; marks that `said` has are shown by their sign alone.

    `why` is of a place that the search names: what its edit does, then its marks.
    """
    does, sign, marks = why.partition(" ⚠ ")
    return f"{does} ⚠" if sign and marks.rstrip(".…") in said else why
