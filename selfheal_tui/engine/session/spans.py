"""A session's run as OpenTelemetry spans, made from its events alone.

    session > step > model call, sandbox run, search      of a race: session > lane > step > ...

Model calls follow the GenAI semantic conventions of OpenTelemetry (version 1.37 and later). Nothing of prompts,
replies, programs and tests is in a span: only names of steps, roles and models, counts and times.
https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from selfheal_tui.llm.registry import split_model
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import one_line

from ..moment.events import (
    CallBegun,
    CallFinished,
    CallWaits,
    CandidateRehearsed,
    CheckpointSaved,
    Event,
    LaneTold,
    NodeStarted,
    RaceFinished,
    ReviewRequested,
    RunFailed,
    RunFinished,
    SearchProgressed,
    SuiteRan,
    ToolCalled,
)
from ..moment.snapshot import Snapshot

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

Value = str | int | float | bool
CANCELLED = "cancelled"
"""`error.type` of what was cut off."""
_NS = 1_000_000_000


@dataclass(slots=True)
class _Search:
    """A search that runs."""

    began_ns: int
    last: SearchProgressed
    told_ns: int


@dataclass(slots=True)
class _Line:
    """What is open on one line of work: that of the session, or a lane of a race."""

    span: Span
    nodes: dict[str, Span] = field(default_factory=dict)
    """Step -> its span; a step that runs several times side by side has one."""
    tasks: dict[str, int] = field(default_factory=dict)
    """Step -> how many times it runs side by side."""
    calls: dict[tuple[str, str], Span] = field(default_factory=dict)
    """(role, strategy) -> the model call that is under way."""
    searches: dict[str, _Search] = field(default_factory=dict)
    """Strategy -> its search."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Role -> `provider:model`; `*` is every other one."""

    @property
    def inner(self) -> Span:
        """The step that works, else the line itself."""
        return next(reversed(self.nodes.values()), self.span)


class SessionSpans:
    """Makes the spans of one run of a session; whoever drives it enters this, and tells each event."""

    def __init__(
        self,
        tracer: Tracer,
        session_id: str,
        attributes: Mapping[str, Value],
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        """`clock` gives nanoseconds since 1970."""
        from opentelemetry.context import Context
        from opentelemetry.trace import SpanKind

        self._tracer, self._clock = tracer, clock
        self._session_id = session_id
        said: dict[str, Value] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "selfheal",
            "gen_ai.conversation.id": session_id,
            **attributes,
        }
        root = tracer.start_span(
            "invoke_agent selfheal", Context(), kind=SpanKind.INTERNAL, attributes=said, start_time=clock()
        )
        self._line = _Line(root)
        self._lanes: dict[str, _Line] = {}
        self._is_over = False

    def __enter__(self) -> SessionSpans:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close what is open: a run that is left before its own end was cancelled, or met a bug."""
        is_bug = kind is not None and issubclass(kind, Exception)
        self._cut_off(kind.__name__ if kind is not None and is_bug else CANCELLED)

    def told(self, event: Event) -> None:
        """Open and close spans as an event says."""
        if isinstance(event, LaneTold):
            lane = self._lanes.get(event.branch)
            if lane is None:
                name = {"selfheal.branch": one_line(event.branch, 60)}
                lane = self._lanes[event.branch] = _Line(self._begun(self._line.span, "lane", name))
            if self._heard(lane, event.event):
                del self._lanes[event.branch]
        elif self._heard(self._line, event):
            self._is_over = True

    def _cut_off(self, error_type: str) -> None:
        if not self._is_over:
            for lane in self._lanes.values():
                self._close(lane, error_type)
            self._close(self._line, error_type)
            self._is_over = True

    def _heard(self, line: _Line, event: Event) -> bool:
        """Change a line as an event says; return whether that was its end."""
        match event:
            case NodeStarted(node):
                line.tasks[node] = line.tasks.get(node, 0) + 1
                if node not in line.nodes:
                    line.nodes[node] = self._begun(line.span, f"step {node}", {"selfheal.step": node})
            case CallBegun() if (event.role, event.by) not in line.calls:
                line.calls[event.role, event.by] = self._call(line, event)
            case CallWaits():
                if call := line.calls.get((event.role, event.by)):
                    told = {"selfheal.attempt": event.attempt, "selfheal.pause_s": event.seconds}
                    call.add_event("retry", told, self._clock())
            case CallFinished():
                self._call_finished(line, event)
            case ToolCalled():
                line.inner.add_event("tool_called", {"gen_ai.tool.name": one_line(event.tool, 60)}, self._clock())
            case SuiteRan():
                self._suite_ran(line, event)
            case SearchProgressed():
                self._searched(line, event)
            case CandidateRehearsed():
                told = {"selfheal.fixes": event.fixes, "selfheal.breaks": event.breaks}
                line.inner.add_event("candidate_rehearsed", told, self._clock())
            case CheckpointSaved():
                line.models = event.snapshot.models
                if event.checkpoint.node in line.nodes:
                    self._node_ended(line, event)
            case ReviewRequested():
                line.span.set_attribute("selfheal.review", event.kind)
                self._ended(line, event.snapshot, "waiting")
                return True
            case RunFinished():
                self._ended(line, event.snapshot, event.snapshot.outcome or "stopped")
                return True
            case RunFailed():
                self._close(line, type(event.error).__name__)
                return True
            case RaceFinished():
                for lane in self._lanes.values():
                    self._close(lane)
                line.span.set_attribute("selfheal.outcome", event.lanes[0].outcome)
                self._close(line)
                return True
        return False

    def _begun(self, parent: Span, name: str, attributes: Mapping[str, Value], began_ns: int = 0) -> Span:
        from opentelemetry.trace import set_span_in_context

        began_ns = began_ns or self._clock()
        return self._tracer.start_span(name, set_span_in_context(parent), attributes=attributes, start_time=began_ns)

    def _call(self, line: _Line, event: CallBegun | CallFinished) -> Span:
        from opentelemetry.trace import SpanKind, set_span_in_context

        told: dict[str, Value] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.conversation.id": self._session_id,
            "gen_ai.output.type": "json",
            "selfheal.role": event.role,
        }
        if event.by:
            told["selfheal.strategy"] = one_line(event.by, 60)
        model = (
            event.model if isinstance(event, CallFinished) else line.models.get(event.role, line.models.get("*", ""))
        )
        if model and model != SEARCH:
            told |= _model_attributes(model)
        name = f"chat {told.get('gen_ai.request.model', '')}".rstrip()
        context = set_span_in_context(line.inner)
        return self._tracer.start_span(name, context, SpanKind.CLIENT, told, start_time=self._clock())

    def _call_finished(self, line: _Line, event: CallFinished) -> None:
        if event.replayed:
            told: dict[str, Value] = {"selfheal.role": event.role, **_model_attributes(event.model)}
            line.inner.add_event("call_replayed", told, self._clock())
            return
        call, usage = line.calls.pop((event.role, event.by), None) or self._call(line, event), event.usage
        call.set_attributes(_model_attributes(event.model))
        call.update_name(f"chat {_model_attributes(event.model)['gen_ai.request.model']}")
        used: dict[str, Value] = {
            "gen_ai.usage.input_tokens": usage.input_tokens,
            "gen_ai.usage.output_tokens": usage.output_tokens,
            "selfheal.degraded": bool(event.degraded),
            "selfheal.estimated": usage.estimated,
        }
        for name, tokens in (
            ("cache_read.input_tokens", usage.cached_tokens),
            ("cache_creation.input_tokens", usage.cache_write_tokens),
            ("reasoning.output_tokens", usage.thinking_tokens),
        ):
            used |= {f"gen_ai.usage.{name}": tokens} if tokens else {}
        if usage.cost_usd is not None:
            used["selfheal.cost_usd"] = usage.cost_usd
        call.set_attributes(used)
        call.end(self._clock())

    def _suite_ran(self, line: _Line, event: SuiteRan) -> None:
        now_ns = self._clock()
        told: dict[str, Value] = {
            "selfheal.sandbox.purpose": event.purpose,
            "selfheal.sandbox.verdict": event.verdict,
            "selfheal.sandbox.trust": event.trust,
            "selfheal.sandbox.isolation": ", ".join(event.isolation),
            "selfheal.cases.passed": event.passed,
            "selfheal.cases.failed": event.failed,
        }
        began_ns = now_ns - int(event.duration_s * _NS)
        self._begun(line.inner, f"sandbox {event.purpose}", told, began_ns).end(now_ns)

    def _searched(self, line: _Line, event: SearchProgressed) -> None:
        if not event.time_s:
            return  # what comes before a search: its time is not known
        now_ns, search = self._clock(), line.searches.get(event.by)
        if search is not None and event.elapsed_s < search.last.elapsed_s:
            self._search_ended(line, event.by)
            search = None
        began_ns = search.began_ns if search else now_ns - int(event.elapsed_s * _NS)
        line.searches[event.by] = _Search(began_ns, event, now_ns)

    def _search_ended(self, line: _Line, by: str) -> None:
        search = line.searches.pop(by)
        told: dict[str, Value] = {
            "selfheal.search.judged": search.last.judged,
            "selfheal.search.mends": search.last.mends,
            "selfheal.search.failing": search.last.failing,
            "selfheal.search.limit_s": search.last.time_s,
        }
        self._begun(line.inner, "search", told, search.began_ns).end(search.told_ns)

    def _node_ended(self, line: _Line, event: CheckpointSaved) -> None:
        checkpoint = event.checkpoint
        self._inner_ended(line, "")
        span = line.nodes.pop(checkpoint.node)
        told: dict[str, Value] = {
            "selfheal.branch": one_line(checkpoint.branch, 60),
            "selfheal.checkpoint_id": checkpoint.id,
            "selfheal.iteration": checkpoint.iteration,
            "selfheal.tasks": line.tasks.pop(checkpoint.node),
        }
        if checkpoint.decision is not None:
            told |= {f"selfheal.decision.{name}": str(checkpoint.decision.get(name, "")) for name in ("verdict", "by")}
        span.set_attributes(told)
        span.end(self._clock())

    def _inner_ended(self, line: _Line, error_type: str) -> None:
        """Close calls and searches; a call that is still open brought no answer."""
        for by in [*line.searches]:
            self._search_ended(line, by)
        for call in line.calls.values():
            _fail(call, error_type or "no_answer")
            call.end(self._clock())
        line.calls.clear()

    def _ended(self, line: _Line, snapshot: Snapshot, outcome: str) -> None:
        spent, report = snapshot.spent, snapshot.report
        told: dict[str, Value] = {
            "selfheal.outcome": outcome,
            "selfheal.branch": one_line(snapshot.branch, 60),
            "selfheal.checkpoint_id": snapshot.checkpoint_id,
            "selfheal.iteration": snapshot.iteration,
            "selfheal.spent.calls": spent["calls"],
            "selfheal.spent.replayed_calls": spent["replayed_calls"],
            "selfheal.spent.input_tokens": spent["input_tokens"],
            "selfheal.spent.output_tokens": spent["output_tokens"],
        }
        if spent["cost_usd"] is not None:
            told["selfheal.spent.cost_usd"] = spent["cost_usd"]
        if report is not None:
            told["selfheal.cases.passed"] = report["passed"]
            told["selfheal.cases.failed"] = report["failed"] + report["errors"] + report["timeouts"]
        line.span.set_attributes(told)
        self._close(line)

    def _close(self, line: _Line, error_type: str = "") -> None:
        """End all that is open on a line, the innermost first; with an error, all of it failed."""
        self._inner_ended(line, error_type)
        if error_type:
            line.span.set_attribute("selfheal.outcome", "cancelled" if error_type == CANCELLED else "failed")
        for span in (*reversed(line.nodes.values()), line.span):
            if error_type:
                _fail(span, error_type)
            span.end(self._clock())
        line.nodes.clear()


def _model_attributes(model: str) -> dict[str, Value]:
    provider, name = split_model(model) if ":" in model else ("", model)
    return {"gen_ai.provider.name": provider or model, "gen_ai.request.model": one_line(name, 200) or model}


def _fail(span: Span, error_type: str) -> None:
    from opentelemetry.trace import Status, StatusCode

    span.set_attribute("error.type", error_type)
    span.set_status(Status(StatusCode.ERROR))
