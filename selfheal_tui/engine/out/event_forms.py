"""What each event is as a line of JSON: one table, from which the lines are written and docs/events.md too.

A line holds ids, counts and short texts. Bodies (code, reports, diffs) are read with `selfheal sessions show`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..moment.events import (
    CallBegun,
    CallFinished,
    CallWaits,
    CandidateRehearsed,
    CaseFinished,
    CheckpointSaved,
    DriverSeen,
    LaneResult,
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
from ..moment.snapshot import Snapshot

VERSION = 1
"""Raised when a field goes or means something else; a new event or field raises nothing."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a line."""

    name: str
    kind: str
    """Its type in JSON, in words."""
    says: str
    read: Callable[[Any], Any]
    """Takes it from the event."""


@dataclass(frozen=True, slots=True)
class Form:
    """What one kind of event is as a line."""

    name: str
    says: str
    fields: tuple[Field, ...]

    def values(self, event: object) -> dict[str, Any]:
        """Return the fields of an event of this kind."""
        return {field.name: field.read(event) for field in self.fields}


def plain(name: str, kind: str, says: str) -> Field:
    """Return a field that the event has under the same name."""
    return Field(name, kind, says, lambda event: getattr(event, name))


def spent(bill: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was used, as the result of a run says it."""
    return {name: bill[name] for name in SPENT}


SPENT = ("calls", "replayed_calls", "input_tokens", "output_tokens", "cost_usd", "time_s")
SPENT_KIND = "object"
SPENT_SAYS = f"What the branch has used up to here: {', '.join(SPENT)}. An unknown price is null."


def _passed(snapshot: Snapshot) -> int | None:
    return snapshot.report["passed"] if snapshot.report else None


def _failed(snapshot: Snapshot) -> int | None:
    report = snapshot.report
    return report["failed"] + report["errors"] + report["timeouts"] if report else None


_ROLE = plain("role", "string", "Who asks: debugger, repairer, generator ...")
_BY = plain("by", "string", "Strategy that asks, where several run side by side; else empty.")
_MODEL_TEXT = plain("text", "string", "A piece of text, as the model wrote it.")
_FAILED_SAYS = "Cases that did not pass: failed, error and timeout; null before the first run."
_OF_MOMENT = (
    Field("checkpoint_id", "string", "The moment.", lambda event: event.snapshot.checkpoint_id),
    Field("branch", "string", "Its branch.", lambda event: event.snapshot.branch),
    Field(
        "iteration", "number", "Number of the round; 0 before the first repair.", lambda event: event.snapshot.iteration
    ),
    Field("passed", "number or null", "Cases that pass there.", lambda event: _passed(event.snapshot)),
    Field("failed", "number or null", _FAILED_SAYS, lambda event: _failed(event.snapshot)),
    Field("spent", SPENT_KIND, SPENT_SAYS, lambda event: spent(event.snapshot.spent)),
)


def _lane(lane: LaneResult) -> dict[str, Any]:
    names = ("branch", "checkpoint_id", "outcome", "reason", "asks", "passed", "failed", "confidence")
    told = {name: getattr(lane, name) for name in names}
    return {**told, "set": lane.says, "doubts": [dict(one) for one in lane.doubts], "spent": spent(lane.spent)}


ENGINE: Mapping[type, Form] = {
    NodeStarted: Form(
        "node_started",
        "A step of the loop begins.",
        (plain("node", "string", "Its name: run_suite, diagnose, propose ..."),),
    ),
    CallBegun: Form(
        "call_begun",
        "A model is being asked. It can come twice for one call: when it waits for its turn, and when it leaves.",
        (_ROLE, _BY),
    ),
    ThoughtStreamed: Form("thought_streamed", "What a model thinks before it answers.", (_ROLE, _BY, _MODEL_TEXT)),
    TokenStreamed: Form("token_streamed", "A piece of a model's reply.", (_ROLE, _BY, _MODEL_TEXT)),
    CallFinished: Form(
        "call_finished",
        "A model call ended.",
        (
            _ROLE,
            _BY,
            plain("model", "string", "`PROVIDER:NAME`."),
            plain("replayed", "true or false", "The reply was recorded before: nothing was sent or paid."),
            plain("degraded", "string", "Why the reply had to be mended or asked for again; else empty."),
            Field("input_tokens", "number", "All input.", lambda event: event.usage.input_tokens),
            Field("output_tokens", "number", "All output, thinking included.", lambda event: event.usage.output_tokens),
            Field("cached_tokens", "number", "Input that was read from a cache.", lambda e: e.usage.cached_tokens),
            Field("cache_write_tokens", "number", "Input written to a cache.", lambda e: e.usage.cache_write_tokens),
            Field("thinking_tokens", "number", "Output that was thinking.", lambda e: e.usage.thinking_tokens),
            Field("estimated", "true or false", "The provider told no figures: guessed.", lambda e: e.usage.estimated),
            Field("cost_usd", "number or null", "Null when the price is unknown.", lambda e: e.usage.cost_usd),
        ),
    ),
    CallWaits: Form(
        "call_waits",
        "A model call failed and is made again. Its text so far does not count.",
        (
            _ROLE,
            _BY,
            plain("model", "string", "`PROVIDER:NAME`."),
            plain("attempt", "number", "The attempt that follows: 2 for the first retry."),
            plain("seconds", "number", "The pause before it."),
            plain("why", "string", "What went wrong, one sentence."),
        ),
    ),
    PromptShortened: Form(
        "prompt_shortened",
        "A prompt was too long for the model: a part of the older evidence is not in it.",
        (
            _ROLE,
            plain("context_tokens", "number", "What the model can take."),
            Field("left_out", "list of strings", "What is not in it, in words.", lambda event: list(event.left_out)),
        ),
    ),
    CaseFinished: Form(
        "case_finished",
        "A test case ended.",
        (
            Field("id", "string", "Its node id, as pytest writes it.", lambda event: event.case["id"]),
            Field(
                "outcome", "string", "passed, failed, error, timeout or skipped.", lambda event: event.case["outcome"]
            ),
            Field("message", "string", "One line; empty when it passed.", lambda event: event.case["message"]),
            Field("location", "string or null", "`FILE:LINE` where it failed.", lambda event: event.case["location"]),
            Field("duration_s", "number", "Seconds that it took.", lambda event: event.case["duration_s"]),
            plain("of", "number", "Cases of the run; 0 where that is not known."),
        ),
    ),
    SuiteRan: Form(
        "suite_ran",
        "The sandbox has run all tests.",
        (
            plain("purpose", "string", "`tests`: of the program as it is; `rehearsal`: of a repair that is tried."),
            plain("verdict", "string", "passed, failed or error."),
            plain("passed", "number", "Cases that pass."),
            plain("failed", "number", "Cases that do not: failed, error and timeout."),
            plain("duration_s", "number", "Seconds that it took."),
            plain("trust", "string", "verified, or provisional."),
            Field("isolation", "list of strings", "Layers of the sandbox.", lambda event: list(event.isolation)),
        ),
    ),
    SearchProgressed: Form(
        "search_progressed",
        "The search has tried more edits. At least one a second while it runs; the last says how long all took.",
        (
            plain("judged", "number", "Edits tried so far in this search."),
            plain("total", "number", "Edits drawn so far; grows."),
            plain("mends", "number", "How many failing cases pass with the best edit."),
            plain("failing", "number", "How many cases fail."),
            plain("best", "string", "What the best edit does, one line; empty when none helps yet."),
            plain("elapsed_s", "number", "Seconds so far."),
            plain("time_s", "number", "Seconds that it may take; 0 where that is not known."),
            plain("by", "string", "Strategy that searches, where several run side by side; else empty."),
            plain("stage", "string", "What it does where no edit is tried; else empty."),
        ),
    ),
    CandidateRehearsed: Form(
        "candidate_rehearsed",
        "A repair has been tried on all tests.",
        (
            plain("label", "string", "Its strategy and number."),
            plain("fixes", "number", "Failing cases that pass with it."),
            plain("breaks", "number", "Passing cases that fail with it."),
        ),
    ),
    StrategyEnded: Form(
        "strategy_ended",
        "A strategy brought no repair.",
        (plain("strategy", "string", "Its name."), plain("why", "string", "Why, one sentence.")),
    ),
    ToolCalled: Form(
        "tool_called",
        "The debugger looked at something.",
        (
            plain("tool", "string", "Name of the tool."),
            plain("arguments", "string", "One line."),
            plain("thought", "string", "Why, in the model's words."),
            plain("observation", "string", "What the model was shown."),
        ),
    ),
    Noticed: Form(
        "noticed",
        "Something went otherwise than asked. The run goes on.",
        (plain("text", "string", "A sentence or two."),),
    ),
    NoteRead: Form(
        "note_read",
        "A step reads a note that you wrote for it.",
        (plain("node", "string", "The step."), plain("text", "string", "The note.")),
    ),
    CheckpointSaved: Form(
        "checkpoint_saved",
        "A moment is on disk. `selfheal sessions show SESSION --at CHECKPOINT --json` has all of it.",
        (
            Field("checkpoint_id", "string", "Its id.", lambda event: event.checkpoint.id),
            Field("parent_id", "string or null", "The moment before.", lambda event: event.checkpoint.parent_id),
            Field("branch", "string", "Its branch.", lambda event: event.checkpoint.branch),
            Field("step", "number", "LangGraph's number of the step.", lambda event: event.checkpoint.step),
            Field("node", "string", "The step that has just ended.", lambda event: event.checkpoint.node),
            Field("next", "list of strings", "What follows; empty at an end.", lambda e: list(e.checkpoint.next)),
            Field(
                "iteration",
                "number",
                "Number of the round; 0 before the first repair.",
                lambda e: e.checkpoint.iteration,
            ),
            Field("passed", "number or null", "Cases that pass there.", lambda event: event.checkpoint.passed),
            Field("failed", "number or null", _FAILED_SAYS, lambda event: event.checkpoint.failed),
            Field(
                "decision",
                "object or null",
                "The decision that this step took: kind, verdict, by, note ...; else null.",
                lambda event: dict(event.checkpoint.decision) if event.checkpoint.decision else None,
            ),
            Field(
                "outcome", "string", "How the branch ended, where it did; else empty.", lambda e: e.checkpoint.outcome
            ),
            Field("gist", "string", "What the step did, in few words.", lambda event: event.checkpoint.gist),
            Field("spent", SPENT_KIND, SPENT_SAYS, lambda event: spent(event.snapshot.spent)),
        ),
    ),
    DriverSeen: Form(
        "driver_seen",
        "Who drives a session that is only watched. No command writes it so far.",
        (plain("by", "string", "`process 123 on HOST`; empty: nobody."),),
    ),
    ReviewRequested: Form(
        "review_requested",
        "The run stopped: a decision is yours.",
        (
            plain("kind", "string", "What about: code, tests, diagnosis, repair, budget, stalled or end."),
            Field("candidates", "list of strings", "Labels of the repairs.", lambda e: list(e.snapshot.candidates)),
            *_OF_MOMENT,
        ),
    ),
    RunFinished: Form(
        "run_finished",
        "The run came to an end.",
        (
            Field("outcome", "string", "healed, nothing_to_heal, gave_up ...", lambda e: e.snapshot.outcome),
            Field("reason", "string", "Why, in a sentence or more.", lambda event: event.snapshot.reason),
            *_OF_MOMENT,
        ),
    ),
    RunFailed: Form(
        "run_failed",
        "The run could not go on. What was saved stays; `selfheal resume SESSION` goes on.",
        (
            Field("error", "string", "What is wrong and what to do.", lambda event: str(event.error)),
            Field("subject", "string", "In a word: model, sandbox, file ...", lambda event: event.error.subject),
            Field("exit_code", "number", "As the command will exit.", lambda event: event.error.exit_code),
        ),
    ),
    RaceFinished: Form(
        "race_finished",
        "Every lane of a race has come to rest.",
        (
            Field("checkpoint_id", "string", "Where the lanes began.", lambda event: event.snapshot.checkpoint_id),
            Field(
                "lanes",
                "list of objects",
                "The best first: branch, set, checkpoint_id, outcome, reason, asks, passed, failed, doubts, "
                "confidence, spent.",
                lambda event: [_lane(lane) for lane in event.lanes],
            ),
            Field("spent", SPENT_KIND, "By all lanes together.", lambda event: spent(event.spent)),
            plain("over", "string", "That they used more than their budget, and why; else empty."),
        ),
    ),
}
"""Kind of event -> its form. `LaneTold` has none: its event is written with the field `lane`."""
