"""Events, and moments of the past, as lines of the transcript: one sentence each, made safe."""

from __future__ import annotations

from selfheal_tui.engine.moment.events import (
    CallFinished,
    CallWaits,
    CandidateRehearsed,
    CaseFinished,
    CheckpointSaved,
    DriverSeen,
    Event,
    LaneTold,
    NodeStarted,
    Noticed,
    PromptShortened,
    RaceFinished,
    ReviewRequested,
    RunFailed,
    RunFinished,
    SearchProgressed,
    StrategyEnded,
    TokenStreamed,
    ToolCalled,
)
from selfheal_tui.engine.moment.timeline import Checkpoint
from selfheal_tui.text import one_line

from .model import REVIEW_NODES
from .words import MOMENTS, NODES, decision_words, outcome_words


def log_line(event: Event) -> str:
    """Return an event as one line of the log; empty for those that are shown elsewhere."""
    match event:
        case NodeStarted():
            return (
                ""
                if event.node in (*REVIEW_NODES, "plan", "learn", "conclude")
                else f"── {NODES.get(event.node, event.node)}"
            )
        case CallFinished():
            tokens = event.usage.input_tokens + event.usage.output_tokens
            how = "replayed" if event.replayed else f"{tokens} tokens"
            doubt = f" · {one_line(event.degraded)}" if event.degraded else ""
            return f"   {_asker(event)} · {event.model} · {how}{doubt}"
        case CallWaits():
            return f"   {_asker(event)} · {one_line(event.why)} Asks again in {event.seconds:.0f} s."
        case PromptShortened():
            return f"   {event.role} · {event.words()}"
        case CaseFinished():
            return (
                f"   {event.case['outcome']:<8}{one_line(event.case['id'])}  {one_line(event.case['message'])}".rstrip()
            )
        case CandidateRehearsed():
            return f"   candidate {event.label}: fixes {event.fixes}, breaks {event.breaks}"
        case StrategyEnded():
            return f"   {event.strategy}: {one_line(event.why)}"
        case ToolCalled():
            return f"   {event.tool} {one_line(event.arguments)} · {one_line(event.observation, 160)}"
        case Noticed():
            return f"   ! {one_line(event.text)}"
        case DriverSeen():
            return f"── driven by {event.by}" if event.by else "── nobody drives it any more"
        case CheckpointSaved():
            decision = event.checkpoint.decision
            if decision is None:
                return ""
            note = f": {one_line(decision.get('note', ''))}" if decision.get("note") else ""
            return f"   {decision_words(decision)}{note}"
        case ReviewRequested():
            return f"◆  your decision: {event.kind}"
        case RunFinished():
            glyph, word, _ = outcome_words(event.snapshot.outcome)
            return f"{glyph}  {word} {one_line(event.snapshot.reason)}".rstrip()
        case RunFailed():
            return f"!  {one_line(str(event.error))}"
        case LaneTold():
            said = log_line(event.event).strip()
            return f"{one_line(event.branch, 40)}: {said}" if said else ""
        case RaceFinished():
            best = event.lanes[0]
            return f"⚑  the race is over: {one_line(best.branch, 40)} is ahead, {outcome_words(best.outcome)[1]}"
        case SearchProgressed() | TokenStreamed():
            return ""


def _asker(event: CallFinished | CallWaits) -> str:
    return f"{event.role} ({one_line(event.by, 40)})" if event.by else event.role


def moment_line(checkpoint: Checkpoint) -> str:
    """Return what was saved at a moment as one line; empty for those that say nothing to a reader."""
    if checkpoint.node in ("plan", "learn", "conclude") and not checkpoint.decision:
        return ""
    said = MOMENTS.get(checkpoint.node, checkpoint.node)
    if checkpoint.decision is not None:
        note = f": {one_line(checkpoint.decision.get('note', ''))}" if checkpoint.decision.get("note") else ""
        said = f"{decision_words(checkpoint.decision)}{note}"
    elif checkpoint.node == "run_suite" and checkpoint.passed is not None:
        said += f" · {checkpoint.passed} passed, {checkpoint.failed} not"
    asked = f" · asks about the {checkpoint.pending}" if checkpoint.pending else ""
    ended = f" · {outcome_words(checkpoint.outcome)[1]}" if checkpoint.outcome else ""
    return f"── {said}{asked}{ended}"
