"""Events, and moments of the past, as lines of the transcript: one sentence each, made safe."""

from __future__ import annotations

from selfheal_tui.engine.moment.event_words import event_words
from selfheal_tui.engine.moment.events import (
    DriverSeen,
    Event,
    LaneTold,
    NodeStarted,
    Noticed,
    RaceFinished,
    ReviewRequested,
    RunFailed,
    RunFinished,
    SearchProgressed,
)
from selfheal_tui.engine.moment.node_facts import START, facts_of, was_passed_over
from selfheal_tui.engine.moment.timeline import Checkpoint
from selfheal_tui.engine.moment.words import decision_line
from selfheal_tui.text import both_ends, one_line

from .words import outcome_words

_INDENT = "   "


def log_line(event: Event) -> str:
    """Return an event as one line of the log; empty for those that are shown elsewhere."""
    if isinstance(event, LaneTold):
        line = log_line(event.event).strip()
        return f"{both_ends(event.branch, 40)}: {line}" if line else ""
    words = "" if isinstance(event, SearchProgressed) else event_words(event)
    return f"{_lead(event)}{words}" if words else ""


def _lead(event: Event) -> str:
    match event:
        case NodeStarted() | DriverSeen():
            return "── "
        case Noticed():
            return f"{_INDENT}! "
        case ReviewRequested():
            return "◆  "
        case RunFinished():
            return f"{outcome_words(event.snapshot.outcome)[0]}  "
        case RunFailed():
            return "!  "
        case RaceFinished():
            return "⚑  "
    return _INDENT


def moment_line(checkpoint: Checkpoint) -> str:
    """Return what was saved at a moment as one line; empty for those that say nothing to a reader."""
    facts = facts_of(checkpoint.node)
    if facts.brief and not checkpoint.decision and not checkpoint.heard:
        return ""
    # As the run told it while it went on; what asks or computes nothing is called by what it left.
    words = facts.done if facts.asks or checkpoint.node == START else facts.doing
    if checkpoint.decision is not None and not was_passed_over(checkpoint.node, checkpoint.decision):
        words = decision_line(checkpoint.decision)
    elif checkpoint.node == "run_suite" and checkpoint.passed is not None:
        words += f" · {checkpoint.passed} passed, {checkpoint.failed} not"
    words += f" · your note was read: “{one_line(checkpoint.heard)}”" if checkpoint.heard else ""
    question = f" · asks about the {checkpoint.pending}" if checkpoint.pending else ""
    ending = f" · {outcome_words(checkpoint.outcome)[1]}" if checkpoint.outcome else ""
    return f"── {words}{question}{ending}"
