"""Each kind of event has a line, the page says each field, and no text of others does harm."""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.bench.running import runner
from selfheal_tui.bench.running.event_forms import BENCH
from selfheal_tui.engine.moment import events
from selfheal_tui.engine.out.event_forms import ENGINE, VERSION
from selfheal_tui.engine.out.event_lines import EventLines, plain_line
from selfheal_tui.errors import ProviderError
from selfheal_tui.llm.base import Usage
from selfheal_tui.sandbox.base import CaseFinished, CaseResult, SuiteReport

PAGE = Path(__file__).resolve().parents[2] / "docs" / "events.md"
KEY = "sk-canary-9f27c1d4e8"
HOSTILE = '\x1b]0;owned\x07\x7f\x9b31m\u202e\ud800 \n{"v": 2}\r\u2028' + KEY
CASE: CaseResult = {
    "id": f"test_x.py::test_y[{HOSTILE}]",
    "outcome": "failed",
    "message": HOSTILE,
    "expected": None,
    "actual": None,
    "location": None,
    "traceback": "long",
    "duration_s": 0.1,
    "output": "long",
}
REPORT: SuiteReport = {
    "passed": 1,
    "failed": 2,
    "errors": 3,
    "timeouts": 4,
    "skipped": 0,
    "duration_s": 0.04,
    "isolation": ["namespaces"],
    "trust": "provisional",
    "not_verified": None,
    "truncated": False,
    "cases": [CASE],
    "verdict": "failed",
    "error": None,
}


def samples() -> Iterator[events.Event]:
    """Yield an event of each kind."""
    from selfheal_tui.engine.moment.timeline import Checkpoint
    from tests.ui.fakes import snapshot

    moment = snapshot("c1", "run_suite", report=REPORT, outcome="gave_up", reason=HOSTILE)
    decision = {"kind": "repair", "verdict": "reject", "note": HOSTILE, "by": "human"}
    saved = Checkpoint("c1", None, "main", 3, "run_suite", ("diagnose",), 0, "2026-01-01", 1, 9, decision, None, "")
    spent = moment.spent
    lane = events.LaneResult("a", "x=1", "c2", "healed", "", None, 3, 0, spent)
    yield events.NodeStarted("run_suite")
    yield events.CallBegun("debugger", "minimal")
    yield events.ThoughtStreamed("debugger", HOSTILE)
    yield events.TokenStreamed("debugger", HOSTILE)
    yield events.CallFinished("debugger", "scripted:x", Usage(3, 4, 0.1 + 0.2, 1, 1, 1), False, "")
    yield events.CallWaits("debugger", 1.5, 2, HOSTILE)
    yield events.PromptShortened("debugger", 4000, ("3 older repairs",))
    yield CaseFinished(CASE, 7)
    yield events.suite_ran("tests", REPORT, 1.23456)
    yield events.SearchProgressed(1, 2, HOSTILE)
    yield events.CandidateRehearsed("1", 1, 0)
    yield events.StrategyEnded("minimal", HOSTILE)
    yield events.ToolCalled("read", HOSTILE, HOSTILE, HOSTILE)
    yield events.Noticed(HOSTILE)
    yield events.NoteRead(HOSTILE, "diagnose")
    yield events.CheckpointSaved(saved, moment)
    yield events.DriverSeen("process 1")
    yield events.ReviewRequested("c1", "main", "repair", moment)
    yield events.RunFinished(moment)
    yield events.RunFailed(ProviderError("The model is gone.", HOSTILE))
    yield events.LaneTold("race-minimal", events.NodeStarted("propose"))
    yield events.RaceFinished(moment, (lane,), spent)


@pytest.fixture
def lines() -> EventLines:
    return EventLines({"ANTHROPIC_API_KEY": KEY})


def test_every_kind_of_event_has_a_form_and_every_field_can_be_read(lines: EventLines) -> None:
    kinds = set(typing.get_args(events.Event))
    assert {type(event) for event in samples()} == kinds, "a sample for each"
    assert {*ENGINE} == kinds - {events.LaneTold}
    for event in samples():
        told = json.loads(lines.line(event, "s1"))
        form = ENGINE[type(event.event if isinstance(event, events.LaneTold) else event)]
        head = {"v", "event", "at", "session"} | ({"lane"} if isinstance(event, events.LaneTold) else set())
        assert told.keys() == head | {field.name for field in form.fields}
        assert (told["v"], told["event"], told["session"]) == (VERSION, form.name, "s1")
        assert datetime.fromisoformat(told["at"]).utcoffset() is not None
    assert {*BENCH} == set(typing.get_args(runner.BenchEvent))
    names = [form.name for form in (*ENGINE.values(), *BENCH.values())]
    assert len({*names}) == len(names)


def test_a_field_is_of_the_type_that_the_page_says(lines: EventLines) -> None:
    types: dict[str, Any] = {
        "string": str,
        "number": int | float,
        "true or false": bool,
        "object": dict,
        "list of strings": list,
        "list of objects": list,
    }
    for event in samples():
        if isinstance(event, events.LaneTold):
            continue
        told = json.loads(lines.line(event, "s1"))
        for field in ENGINE[type(event)].fields:
            value = told[field.name]
            if value is None:
                assert field.kind.endswith("or null"), (event, field.name)
            else:
                assert isinstance(value, types[field.kind.removesuffix(" or null")]), (event, field.name, value)


def test_a_line_is_one_line_of_plain_ascii_without_keys_and_says_the_text_all_the_same(lines: EventLines) -> None:
    for event in samples():
        line = lines.line(event, "s1", "t1")
        assert line.endswith("\n") and re.fullmatch(r"[\x20-\x7e]*", line[:-1]), line
        assert KEY not in line
    told = json.loads(lines.line(events.TokenStreamed("debugger", HOSTILE), "s1", "t1"))
    assert told["text"] == HOSTILE.replace(KEY, "[ANTHROPIC_API_KEY]") and told["task"] == "t1"
    assert re.fullmatch(r"[\x20-\x7e]*\n", plain_line("result", {"reason": HOSTILE}))


def test_a_key_that_comes_in_pieces_is_taken_out_and_no_text_is_lost(lines: EventLines) -> None:
    pieces = ["It is sk-", "canary-9f27", "c1d4e8, as you see. Not sk-", "canary but sk-ca"]
    streamed = [events.TokenStreamed("debugger", piece) for piece in pieces]
    ended = events.CallFinished("debugger", "scripted:x", Usage(), False, "")
    out = "".join(lines.line(event, "s1") for event in (*streamed, ended))
    told = [json.loads(line) for line in out.splitlines()]
    assert [one["event"] for one in told][-2:] == ["token_streamed", "call_finished"]
    text = "".join(one["text"] for one in told if "text" in one)
    assert text == "It is [ANTHROPIC_API_KEY], as you see. Not sk-canary but sk-ca"


def test_bodies_are_not_in_a_line_and_dollars_have_no_dust(lines: EventLines) -> None:
    for event in samples():
        line = lines.line(event, "s1")
        assert "long" not in line and "def overlap" not in line
    call = next(event for event in samples() if isinstance(event, events.CallFinished))
    assert json.loads(lines.line(call, "s1"))["cost_usd"] == 0.3


def test_a_lane_is_named_and_a_case_of_the_suite_counted(lines: EventLines) -> None:
    told = [json.loads(lines.line(event, "s1")) for event in samples()]
    assert [one["event"] for one in told if one.get("lane") == "race-minimal"] == ["node_started"]
    (ran,) = (one for one in told if one["event"] == "suite_ran")
    assert (ran["passed"], ran["failed"], ran["duration_s"], ran["verdict"]) == (1, 9, 1.235, "failed")
    (finished,) = (one for one in told if one["event"] == "run_finished")
    assert (finished["passed"], finished["failed"], finished["outcome"]) == (1, 9, "gave_up")
    assert finished["spent"].keys() == {
        *("calls", "replayed_calls", "input_tokens", "output_tokens", "cost_usd", "time_s"),
    }
