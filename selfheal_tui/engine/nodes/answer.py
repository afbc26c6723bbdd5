"""What a decision leaves behind for the next attempt."""

from __future__ import annotations

from ..review import Decision
from ..state import HealState

FEEDBACK_KEPT = 8
"""Reasons that reach the next attempt; the newest."""


def feedback_after(state: HealState, decision: Decision) -> list[str]:
    """Return the human's reasons with this one added; the newest few are kept."""
    notes = state.get("feedback", [])
    return [*notes, decision["note"]][-FEEDBACK_KEPT:] if decision["note"] and decision["by"] == "human" else notes
