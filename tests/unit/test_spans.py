"""A run as spans: who is whose parent, when each began and ended, what it says, how errors and a cancel look."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

pytest.importorskip("opentelemetry.sdk")
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from selfheal_tui.engine.moment import events
from selfheal_tui.engine.moment.timeline import Checkpoint
from selfheal_tui.engine.session.spans import SessionSpans
from selfheal_tui.errors import ProviderError
from selfheal_tui.llm.base import Usage
from tests.ui.fakes import report, snapshot

MODEL = {"*": "search", "debugger": "anthropic:claude-x"}
MOMENT = snapshot("c1", "run_suite", models=MODEL, report=report(1))
SECRET = "a line of the user's program"


class Rig:
    """Tells events at times of its own, and has the spans that ended."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.now_s = 100.0
        self.spans = SessionSpans(provider.get_tracer("t"), "s1", {"bench": "x"}, lambda: round(self.now_s * 1e9))

    def told(self, *told: tuple[float, events.Event]) -> None:
        """Tell events, each at a second."""
        for self.now_s, event in told:
            self.spans.told(event)

    @property
    def ended(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self.exporter.get_finished_spans()}

    def parent(self, name: str) -> str:
        """Return the name of a span's parent; empty for none."""
        ids = {span.context.span_id: name for name, span in self.ended.items() if span.context}
        above = self.ended[name].parent
        return ids[above.span_id] if above else ""

    def times(self, name: str) -> tuple[float, float]:
        """Return when a span began and ended, in seconds."""
        span = self.ended[name]
        return (span.start_time or 0) / 1e9, (span.end_time or 0) / 1e9

    def says(self, name: str) -> dict[str, object]:
        return dict(self.ended[name].attributes or {})


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    yield rig
    everything = "".join(span.to_json() for span in rig.exporter.get_finished_spans())
    assert SECRET not in everything


def saved(node: str, branch: str = "main") -> events.CheckpointSaved:
    checkpoint = Checkpoint(f"c-{node}", None, branch, 3, node, (), 2, "", 1, 1, None, None, "")
    return events.CheckpointSaved(checkpoint, MOMENT)


def test_a_run_is_a_tree_with_times_and_the_conventions_of_model_calls(rig: Rig) -> None:
    usage = Usage(1200, 80, 0.5, cached_tokens=1000, thinking_tokens=20)
    ran = events.suite_ran("tests", report(1), 2.0)
    rig.told(
        (101, events.NodeStarted("run_suite")),
        (104, ran),
        (105, saved("run_suite")),
        (106, events.NodeStarted("diagnose")),
        (107, events.CallBegun("debugger")),
        (108, events.CallBegun("debugger")),
        (109, events.TokenStreamed("debugger", SECRET)),
        (110, events.CallWaits("debugger", 1.5, 2, SECRET)),
        (112, events.CallFinished("debugger", "anthropic:claude-x", usage, False, SECRET)),
        (113, events.ToolCalled("read", SECRET, SECRET, SECRET)),
        (114, saved("diagnose")),
        (115, events.NodeStarted("review_diagnosis")),
        (116, events.ReviewRequested("c1", "main", "diagnosis", MOMENT)),
    )
    call = "chat claude-x"
    assert {name: rig.parent(name) for name in rig.ended} == {
        "invoke_agent selfheal": "",
        "step run_suite": "invoke_agent selfheal",
        "sandbox tests": "step run_suite",
        "step diagnose": "invoke_agent selfheal",
        call: "step diagnose",
        "step review_diagnosis": "invoke_agent selfheal",
    }
    assert rig.times("invoke_agent selfheal") == (100, 116) and rig.times("step run_suite") == (101, 105)
    assert rig.times("sandbox tests") == (102, 104) and rig.times(call) == (107, 112)
    said = rig.says(call)
    assert said == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude-x",
        "gen_ai.conversation.id": "s1",
        "gen_ai.output.type": "json",
        "gen_ai.usage.input_tokens": 1200,
        "gen_ai.usage.output_tokens": 80,
        "gen_ai.usage.cache_read.input_tokens": 1000,
        "gen_ai.usage.reasoning.output_tokens": 20,
        "selfheal.role": "debugger",
        "selfheal.degraded": True,
        "selfheal.estimated": False,
        "selfheal.cost_usd": 0.5,
    }
    assert rig.ended[call].kind is SpanKind.CLIENT and [e.name for e in rig.ended[call].events] == ["retry"]
    assert [e.name for e in rig.ended["step diagnose"].events] == ["tool_called"]
    root = rig.says("invoke_agent selfheal")
    assert (root["selfheal.outcome"], root["selfheal.review"], root["bench"]) == ("waiting", "diagnosis", "x")
    assert (root["gen_ai.conversation.id"], root["selfheal.cases.failed"]) == ("s1", 1)
    assert rig.says("sandbox tests")["selfheal.sandbox.verdict"] == "failed"
    assert all(span.status.status_code is StatusCode.UNSET for span in rig.ended.values())


def test_a_recorded_reply_is_no_call_and_a_search_has_its_own_time(rig: Rig) -> None:
    progress = events.SearchProgressed(10, 100, SECRET, 1, 2, 3.0, 60.0)
    rig.told(
        (110, events.NodeStarted("diagnose")),
        (111, events.CallFinished("debugger", "anthropic:claude-x", Usage(5, 5), True, "")),
        (112, events.SearchProgressed(0, 0, "", stage="seeing which lines the cases run")),
        (116, progress),
        (119, replace(progress, judged=64, elapsed_s=6.0)),
        (120, saved("diagnose")),
        (121, events.RunFinished(replace(MOMENT, outcome="gave_up"))),
    )
    assert {*rig.ended} == {"invoke_agent selfheal", "step diagnose", "search"}
    assert rig.times("search") == (113, 119) and rig.says("search")["selfheal.search.judged"] == 64
    assert [e.name for e in rig.ended["step diagnose"].events] == ["call_replayed"]
    assert rig.says("invoke_agent selfheal")["selfheal.outcome"] == "gave_up"


def test_strategies_side_by_side_are_one_step_with_a_call_and_a_search_each(rig: Rig) -> None:
    one, other = (events.CallFinished("repairer", f"ollama:{n}", Usage(1, 1), False, "", n) for n in "ab")
    found = events.SearchProgressed(1, 2, "", elapsed_s=1.0, time_s=3.0)
    rig.told(
        (101, events.NodeStarted("propose")),
        (101, events.NodeStarted("propose")),
        (102, events.CallBegun("repairer", "a")),
        (103, events.CallBegun("repairer", "b")),
        (104, other),
        (105, one),
        (106, replace(found, by="a", elapsed_s=2.0)),
        (106, replace(found, by="b")),
        (107, replace(found, by="a", elapsed_s=3.0)),
        (107, replace(found, by="b", elapsed_s=2.0)),
        (108, saved("propose")),
        (109, events.RunFinished(MOMENT)),
    )
    assert rig.times("chat a") == (102, 105) and rig.times("chat b") == (103, 104)
    names = [span.name for span in rig.exporter.get_finished_spans()]
    assert names.count("search") == 2 and names.count("step propose") == 1
    assert rig.says("step propose")["selfheal.tasks"] == 2


def test_a_run_that_failed_says_of_what_kind_the_error_was(rig: Rig) -> None:
    rig.told(
        (101, events.NodeStarted("diagnose")),
        (102, events.CallBegun("debugger")),
        (103, events.RunFailed(ProviderError(SECRET, SECRET))),
    )
    for name in ("invoke_agent selfheal", "step diagnose", "chat"):
        assert rig.ended[name].status.status_code is StatusCode.ERROR
        assert rig.says(name)["error.type"] == "ProviderError"


@pytest.mark.parametrize(
    ("met", "told"),
    [(asyncio.CancelledError(), "cancelled"), (GeneratorExit(), "cancelled"), (KeyError("x"), "KeyError")],
)
def test_a_run_that_is_cut_off_closes_what_is_open(rig: Rig, met: BaseException, told: str) -> None:
    with pytest.raises(type(met)), rig.spans:
        rig.told((101, saved("start")), (102, events.NodeStarted("diagnose")), (103, events.CallBegun("debugger")))
        raise met
    assert {rig.says(name)["error.type"] for name in rig.ended} == {told}
    assert {*rig.ended} == {"invoke_agent selfheal", "step diagnose", "chat claude-x"}
    outcome = rig.says("invoke_agent selfheal")["selfheal.outcome"]
    assert outcome == ("cancelled" if told == "cancelled" else "failed")


def test_a_call_that_brought_no_answer_fails_and_the_step_does_not(rig: Rig) -> None:
    with rig.spans:
        rig.told(
            (101, events.NodeStarted("critique")),
            (102, events.CallBegun("critic")),
            (103, events.Noticed(SECRET)),
            (104, saved("critique")),
            (105, events.RunFinished(replace(MOMENT, outcome="healed"))),
        )
    assert rig.says("chat")["error.type"] == "no_answer"
    assert rig.ended["step critique"].status.status_code is StatusCode.UNSET


def test_lanes_of_a_race_lie_between_the_session_and_their_steps(rig: Rig) -> None:
    lane = events.LaneResult("race-a", SECRET, "c2", "healed", SECRET, None, 3, 0, MOMENT.spent)
    with rig.spans:
        rig.told(
            (101, events.LaneTold("race-a", saved("start", "race-a"))),
            (102, events.LaneTold("race-a", events.NodeStarted("propose"))),
            (103, events.LaneTold("race-b", events.NodeStarted("propose"))),
            (104, events.LaneTold("race-a", saved("propose", "race-a"))),
            (105, events.LaneTold("race-a", events.RunFinished(replace(MOMENT, outcome="healed")))),
            (106, events.LaneTold("race-b", events.RunFailed(ProviderError("x")))),
            (107, events.RaceFinished(MOMENT, (lane,), MOMENT.spent)),
        )
    lanes = [span for span in rig.exporter.get_finished_spans() if span.name == "lane"]
    assert [span.status.status_code for span in lanes] == [StatusCode.UNSET, StatusCode.ERROR]
    assert rig.parent("lane") == "invoke_agent selfheal" and rig.parent("step propose") == "lane"
    assert rig.says("invoke_agent selfheal")["selfheal.outcome"] == "healed"
