"""How a task ended, in four kinds, as reports and the app tell them. Pure."""

from __future__ import annotations

from .metrics import TaskResult

REPAIRED, PLAUSIBLE, NOT_REPAIRED, REFUSED = "repaired", "plausible", "not", "refused"
KINDS = (REPAIRED, PLAUSIBLE, NOT_REPAIRED, REFUSED)
WORDS = {
    REPAIRED: "repaired",
    PLAUSIBLE: "plausible only",
    NOT_REPAIRED: "not repaired",
    REFUSED: "refused",
}
MEANINGS = {
    REPAIRED: "the hidden tests pass",
    PLAUSIBLE: "the visible tests pass, the hidden ones do not",
    NOT_REPAIRED: "the visible tests do not pass",
    REFUSED: "the task could not be started",
}


def kind_of(result: TaskResult) -> str:
    """Return the kind of a finished task."""
    if result["outcome"] == "refused":
        return REFUSED
    if result["repaired"]:
        return REPAIRED
    return PLAUSIBLE if result["plausible"] else NOT_REPAIRED
