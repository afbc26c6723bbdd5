"""What an event says, in one line made safe; the app and the command line choose which they show, and how. Pure."""

from __future__ import annotations

from typing import assert_never

from selfheal_tui.text import one_line, outcome_word, plural

from .events import (
    CallBegun,
    CallFinished,
    CallWaits,
    CandidateRehearsed,
    CaseFinished,
    CheckpointSaved,
    DriverSeen,
    Event,
    LaneTold,
    NodeStarted,
    NoteRead,
    Noticed,
    PromptShortened,
    RaceFinished,
    ReviewRequested,
    RunFailed,
    RunFinished,
    SearchProgressed,
    StrategyEnded,
    SuiteRan,
    ThoughtStreamed,
    TokenStreamed,
    ToolCalled,
)
from .node_facts import facts_of, was_passed_over
from .words import decision_line


def event_words(event: Event) -> str:
    """Say what happened; empty for what has no words of its own."""
    match event:
        case NodeStarted():
            facts = facts_of(event.node)
            return "" if facts.brief or facts.asks else facts.doing
        case CallBegun() | ThoughtStreamed() | TokenStreamed() | SuiteRan() | LaneTold():
            return ""
        case CallFinished():
            tokens = event.usage.input_tokens + event.usage.output_tokens
            thought = f", {event.usage.thinking_tokens} of them thinking" if event.usage.thinking_tokens else ""
            how = "replayed" if event.replayed else f"{tokens} tokens{thought}"
            trouble = f" · {one_line(event.degraded)}" if event.degraded else ""
            return f"{_asker(event)} · {one_line(event.model, 60)} · {how}{trouble}"
        case CallWaits():
            return f"{_asker(event)} · {one_line(event.why)} Asks again in {event.seconds:.0f} s."
        case PromptShortened():
            return f"{event.role} · {event.words()}"
        case CaseFinished():
            return f"{event.case['outcome']:<8}{one_line(event.case['id'])}  {one_line(event.case['message'])}".rstrip()
        case SearchProgressed():
            best = best_so_far(event)
            return f"{tried_so_far(event)}, {best}" if best else tried_so_far(event)
        case CandidateRehearsed():
            return f"repair {event.label}: fixes {plural(event.fixes, 'case')}, breaks {event.breaks or 'none'}"
        case StrategyEnded():
            return f"{event.strategy}: {one_line(event.why)}"
        case ToolCalled():
            return f"{event.tool} {one_line(event.arguments)} · {one_line(event.observation, 160)}"
        case Noticed():
            return one_line(event.text)
        case NoteRead():
            return f"your note is read: “{one_line(event.text)}”"
        case CheckpointSaved():
            node, decision = event.checkpoint.node, event.checkpoint.decision
            return decision_line(decision) if decision and not was_passed_over(node, decision) else ""
        case DriverSeen():
            return f"driven by {event.by}" if event.by else "nobody drives it any more"
        case ReviewRequested():
            return f"your decision: {event.kind}"
        case RunFinished():
            return f"{outcome_word(event.snapshot.outcome)} {one_line(event.snapshot.reason)}".rstrip()
        case RunFailed():
            return one_line(str(event.error))
        case RaceFinished():
            best_lane = event.lanes[0]
            return f"the race is over: {one_line(best_lane.branch, 40)} is ahead, {outcome_word(best_lane.outcome)}"
        case _:
            assert_never(event)


def best_so_far(event: SearchProgressed) -> str:
    """Say what the best edit does and what it is: `best mends 3 of 4, breaks 1: line 3: ...`; empty for none yet."""
    mends = f" mends {event.mends} of {event.failing}" if event.mends else ""
    mends += f", breaks {event.breaks}" if event.mends and event.breaks else ""
    return f"best{mends or ' so far'}: {one_line(event.best, 400)}" if event.best else ""


def tried_so_far(search: SearchProgressed) -> str:
    """Say how far a search is, and when no more edits are tried: `8,633 edits tried, 4 s of 60 s`."""
    is_over = search.elapsed_s > search.time_s
    limit = f"{search.time_s:.0f} s"
    time = f" in {limit}" if is_over else f", {search.elapsed_s:.0f} s of {limit}"
    stage = search.stage or ("comparing the best" if is_over else "")
    edits = "1 edit" if search.judged == 1 else f"{search.judged:,} edits"
    tried = f"{edits} tried" if search.judged or not stage else stage
    words = f"{tried}{time}" if search.time_s else tried
    return f"{words}; {stage}" if stage and search.judged else words


def _asker(event: CallFinished | CallWaits) -> str:
    return f"{event.role} ({one_line(event.by, 40)})" if event.by else event.role
