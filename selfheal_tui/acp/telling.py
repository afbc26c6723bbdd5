"""From the events of a run to updates for the editor: tool calls for steps, tests and models, thoughts, the plan.

A `Teller` remembers what it has open, and does nothing else: no input or output.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from acp.helpers import (
    SessionUpdate,
    start_tool_call,
    tool_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_tool_call,
)
from acp.schema import ToolCallLocation, ToolCallStatus, ToolKind

from selfheal_tui.engine.moment.event_words import event_words
from selfheal_tui.engine.moment.events import (
    CallBegun,
    CallFinished,
    CallWaits,
    CandidateRehearsed,
    CaseFinished,
    CheckpointSaved,
    Event,
    LaneTold,
    NodeStarted,
    Noticed,
    PromptShortened,
    RaceFinished,
    SearchProgressed,
    StrategyEnded,
    ThoughtStreamed,
    TokenStreamed,
    ToolCalled,
)
from selfheal_tui.engine.moment.node_facts import facts_of
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.timeline import Checkpoint
from selfheal_tui.engine.moment.words import report_line
from selfheal_tui.engine.suites.failing_groups import failing_lines

from .markup import block, code, prose, text_content
from .plan import build_plan, stage_of

_INTERVAL_S = 0.25
"""Counts and searches change more often than anybody can read."""
_MOST_LINES = 60
"""Lines that one step shows; the newest stay."""
_MOST_TEXT = 20_000
"""Characters of a model's reply that are kept."""
_KINDS: dict[str, ToolKind] = {
    "run_suite": "execute",
    "diagnose": "think",
    "propose": "search",
    "generate": "edit",
}
_TESTS = "run_suite"
_BETWEEN = ("apply", "learn")
"""After these a round is over and the next has not begun: the plan waits for it."""


class Teller:
    """Tells one thread; `prefix` keeps its ids apart from those of an earlier process."""

    def __init__(self, prefix: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.root: Path | None = None
        """The folder of the session's files, once it is known; None where they came from none."""
        self._prefix = prefix
        self._clock = clock
        self._count = 0
        self._node = ""
        self._step_id = ""
        """The tool call of the step that runs; empty for none."""
        self._lines: list[str] = []
        self._search = ""
        self._passed = self._failed = 0
        self._calls: dict[tuple[str, str], str] = {}
        """Role and strategy -> the tool call of the model call that runs."""
        self._replies: dict[tuple[str, str], str] = {}
        self._told_s = 0.0
        self._snapshot: Snapshot | None = None
        self._stage = self._plan = ""

    def new_id(self) -> str:
        """Return an id for a tool call."""
        self._count += 1
        return f"{self._prefix}-{self._count}"

    def told(self, event: Event) -> list[SessionUpdate]:
        """Return what to tell of an event."""
        match event:
            case NodeStarted():
                return self._begin(event.node)
            case CaseFinished():
                return self._count_case(event)
            case CheckpointSaved():
                return self._saved(event)
            case CallBegun():
                return self._call_begun((event.role, event.by))
            case ThoughtStreamed():
                return [update_agent_thought_text(prose(event.text))]
            case TokenStreamed():
                key = (event.role, event.by)
                self._replies[key] = (self._replies.get(key, "") + event.text)[:_MOST_TEXT]
                return []
            case CallFinished():
                return self._call_finished(event)
            case SearchProgressed():
                self._search = event_words(event)
                return self._rewritten(now=False)
            case CallWaits() | CandidateRehearsed() | PromptShortened() | StrategyEnded() | ToolCalled():
                return self._line(event_words(event))
            case Noticed():
                return [update_agent_message_text(f"Note: {prose(event_words(event))}\n\n")]
            case LaneTold() | RaceFinished():
                words = event_words(event.event if isinstance(event, LaneTold) else event)
                lane = f"{event.branch}: " if isinstance(event, LaneTold) else ""
                return self._line(f"{lane}{words}") if words else []
        return []

    def ended(self, status: ToolCallStatus = "failed") -> list[SessionUpdate]:
        """Close whatever is open, as a run that was cancelled or failed leaves it."""
        updates: list[SessionUpdate] = [update_tool_call(one, status=status) for one in self._calls.values()]
        if self._step_id:
            updates.append(update_tool_call(self._step_id, status=status))
        self._calls.clear()
        self._replies.clear()
        self._step_id, self._node = "", ""
        return updates

    def planned(self, snapshot: Snapshot, node: str) -> list[SessionUpdate]:
        """Return the plan at a moment before a node; nothing where it is as it was told last."""
        self._snapshot, self._stage = snapshot, stage_of(node) or self._stage
        plan = build_plan(snapshot, self._stage)
        told = plan.model_dump_json()
        if told == self._plan:
            return []
        self._plan = told
        return [plan]

    def _begin(self, node: str) -> list[SessionUpdate]:
        facts = facts_of(node)
        if node == self._node and self._step_id:
            return []  # one of several tasks of the same step
        updates = self.ended("completed")
        if self._snapshot is not None and stage_of(node):
            updates += self.planned(self._snapshot, node)
        self._node, self._lines, self._search, self._told_s = node, [], "", 0.0
        self._passed = self._failed = 0
        if facts.brief or facts.asks:
            return updates
        self._step_id = self.new_id()
        title = facts.doing.capitalize()
        start = start_tool_call(self._step_id, title, kind=kind_of(node), status="in_progress")
        return [*updates, start]

    def _count_case(self, event: CaseFinished) -> list[SessionUpdate]:
        if self._node != _TESTS or not self._step_id:
            return []
        outcome = event.case["outcome"]
        self._passed += outcome == "passed"
        self._failed += outcome not in ("passed", "skipped")
        if outcome not in ("passed", "skipped"):
            self._lines = [*self._lines, event_words(event)][-_MOST_LINES:]
        if not self._is_time():
            return []
        title = f"{facts_of(_TESTS).doing.capitalize()}: {self._passed} passed, {self._failed} failed"
        return [update_tool_call(self._step_id, title=title, status="in_progress")]

    def _saved(self, event: CheckpointSaved) -> list[SessionUpdate]:
        checkpoint, snapshot = event.checkpoint, event.snapshot
        updates: list[SessionUpdate] = []
        if self._step_id and checkpoint.node == self._node:
            lines = self._lines
            if checkpoint.node == _TESTS and snapshot.report is not None:
                lines = [report_line(snapshot.report), *failing_lines(snapshot, snapshot.report)]
            failed = checkpoint.node == _TESTS and snapshot.report is not None and snapshot.report["error"]
            updates.append(
                update_tool_call(
                    self._step_id,
                    title=done_title(checkpoint),
                    status="failed" if failed else "completed",
                    content=[tool_content(text_content(block("\n".join(lines))))] if lines else None,
                    locations=places(snapshot, self.root) if checkpoint.node == "diagnose" else None,
                )
            )
            self._step_id, self._node = "", ""
        decision = checkpoint.decision
        if decision and decision.get("by") not in ("human", "") and (words := event_words(event)):
            updates.append(update_agent_message_text(f"{decision.get('kind', 'review')}: {prose(words)}\n\n"))
        if checkpoint.node in _BETWEEN:
            self._snapshot = snapshot
            return updates
        return [*updates, *self.planned(snapshot, checkpoint.next[0] if checkpoint.next else checkpoint.node)]

    def _call_begun(self, key: tuple[str, str]) -> list[SessionUpdate]:
        self._replies.pop(key, None)
        if key in self._calls:
            return []
        self._calls[key] = self.new_id()
        role, by = key
        title = f"Asking the {role}" + (f" ({by})" if by else "")
        return [start_tool_call(self._calls[key], title, kind="think", status="in_progress")]

    def _call_finished(self, event: CallFinished) -> list[SessionUpdate]:
        key = (event.role, event.by)
        call_id, reply = self._calls.pop(key, ""), self._replies.pop(key, "")
        content = [tool_content(text_content(block(reply)))] if reply else None
        if not call_id:
            return [start_tool_call(self.new_id(), code(event_words(event)), kind="think", status="completed")]
        return [update_tool_call(call_id, title=code(event_words(event)), status="completed", content=content)]

    def _line(self, words: str) -> list[SessionUpdate]:
        self._lines = [*self._lines, words][-_MOST_LINES:]
        return self._rewritten(now=True)

    def _rewritten(self, *, now: bool) -> list[SessionUpdate]:
        if not self._step_id or not (self._is_time() or now):
            return []
        text = "\n".join([*self._lines, *([self._search] if self._search else [])])
        return [update_tool_call(self._step_id, content=[tool_content(text_content(block(text)))])]

    def _is_time(self) -> bool:
        now_s = self._clock()
        if now_s - self._told_s < _INTERVAL_S:
            return False
        self._told_s = now_s
        return True


def kind_of(node: str) -> ToolKind:
    """Return what kind of tool an editor takes a step for."""
    return _KINDS.get(node, "other")


def done_title(checkpoint: Checkpoint) -> str:
    """Say what a step came to: `Tests ran: 2 passed, 1 failed`."""
    facts = facts_of(checkpoint.node)
    title = facts.done.capitalize()
    if checkpoint.node == _TESTS and checkpoint.passed is not None:
        return f"{title}: {checkpoint.passed} passed, {checkpoint.failed or 0} failed"
    return f"{title}: {code(checkpoint.gist)}" if checkpoint.gist else title


def places(snapshot: Snapshot, root: Path | None) -> list[ToolCallLocation] | None:
    """Return the lines that a diagnosis names, for an editor to follow to; None where they lie in no folder."""
    if root is None or snapshot.diagnosis is None:
        return None
    named = [one for one in snapshot.diagnosis["evidence"] if one["file"] in snapshot.program]
    return [ToolCallLocation(path=str(root / one["file"]), line=one["line"]) for one in named]
