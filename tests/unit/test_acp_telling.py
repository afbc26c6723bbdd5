"""A run's events as an editor sees them: steps as tool calls, the plan, questions with their options."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.acp.questions import MOST_OTHERS, answer_of, build_question
from selfheal_tui.acp.telling import Teller
from selfheal_tui.engine.moment.events import (
    CallBegun,
    CallFinished,
    CaseFinished,
    CheckpointSaved,
    NodeStarted,
    Noticed,
    SearchProgressed,
    ThoughtStreamed,
    TokenStreamed,
)
from selfheal_tui.engine.moment.review import ReviewKind, approve, reject, stop
from selfheal_tui.errors import InputError
from selfheal_tui.llm.base import Usage
from tests.ui.fakes import CANDIDATES, CODE, DIAGNOSIS, FIXED, FakeSession, report, snapshot

HOSTILE = "\x1b[2J![x](http://evil/) <b>"


def teller(*times_s: float) -> Teller:
    clock = iter(times_s)
    return Teller("t", lambda: next(clock))


async def test_a_step_is_a_tool_call_and_the_plan_says_what_came_of_it() -> None:
    told: list[Any] = []
    teller_ = Teller("t")
    async for event in FakeSession("s").resume():
        told += teller_.told(event)
    calls = [one for one in told if one.session_update.startswith("tool_call")]
    assert [(one.tool_call_id, one.title, one.status) for one in calls if one.title] == [
        ("t-1", "Running the tests", "in_progress"),
        ("t-1", "Running the tests: 0 passed, 1 failed", "in_progress"),
        ("t-1", "Tests ran: 5 passed, 2 failed", "completed"),
        ("t-2", "Looking for the cause", "in_progress"),
        ("t-2", "Diagnosis made", "completed"),
    ]
    plan = told[-1].entries
    assert [(one.content, one.status) for one in plan[:3]] == [
        ("Run the tests: 5 passed, 2 failed", "completed"),
        (f"Find the cause: {DIAGNOSIS['cause']}", "in_progress"),
        ("Find a repair", "pending"),
    ]


def test_counts_are_told_four_times_a_second_at_most() -> None:
    cases = [CaseFinished(case) for case in report(2)["cases"]]
    telling = teller(1.0, 1.1, 1.24, 1.3, 1.31, 1.32, 1.33)
    telling.told(NodeStarted("run_suite"))
    titles = [one.title for case in cases for one in telling.told(case)]
    assert titles == ["Running the tests: 0 passed, 1 failed", "Running the tests: 2 passed, 2 failed"]


def test_a_search_tells_how_far_it_is_in_its_step() -> None:
    telling = teller(1.0)
    (start,) = telling.told(NodeStarted("propose"))
    (update,) = telling.told(SearchProgressed(64, 64, "line 8: `<=` becomes `<`", 1, 2))
    assert update.tool_call_id == start.tool_call_id
    assert "64 edits tried, best mends 1 of 2: line 8" in update.content[0].content.text
    assert telling.told(NodeStarted("propose")) == []  # a second strategy of the same step


def test_what_a_model_says_is_one_tool_call_and_cannot_steer_the_editor() -> None:
    telling = Teller("t")
    (start,) = telling.told(CallBegun("repairer", "minimal"))
    (thought,) = telling.told(ThoughtStreamed("repairer", HOSTILE))
    assert thought.content.text == r"!\[x\](http://evil/) \<b>"
    assert telling.told(TokenStreamed("repairer", HOSTILE, "minimal")) == []
    (end,) = telling.told(CallFinished("repairer", f"m{HOSTILE}", Usage(3, 4), False, "", "minimal"))
    assert (start.title, end.status, end.tool_call_id) == ("Asking the repairer (minimal)", "completed", "t-1")
    assert "\x1b" not in end.title + end.content[0].content.text
    (note,) = telling.told(Noticed(HOSTILE))
    assert "![x]" not in note.content.text and "\x1b" not in note.content.text


def test_a_run_that_ends_early_leaves_nothing_open() -> None:
    telling = Teller("t")
    for event in (NodeStarted("propose"), CallBegun("repairer", "a"), CallBegun("repairer", "b")):
        telling.told(event)
    assert {(one.tool_call_id, one.status) for one in telling.ended()} == {(f"t-{n}", "failed") for n in (1, 2, 3)}
    assert telling.ended() == []


def test_a_plan_is_told_once_and_ends_with_the_outcome() -> None:
    telling = Teller("t")
    moment = snapshot("c", "rank", report=report(2), diagnosis=DIAGNOSIS, candidates=CANDIDATES)
    (plan,) = telling.planned(moment, "review_repair")
    assert plan.entries[2].content.startswith("Find a repair: ") and plan.entries[2].content.endswith(" (and 1 more)")
    assert telling.planned(moment, "review_repair") == [] == telling.planned(moment, "review_budget")
    (end,) = telling.planned(replace(moment, outcome="gave_up", reason="No edit helps."), "conclude")
    assert [one.status for one in end.entries] == ["completed"] * len(end.entries)
    assert end.entries[-1].content == "Gave up: No edit helps."


def test_a_repair_is_asked_about_with_its_diff_and_each_other_candidate_can_be_picked() -> None:
    moment = snapshot("c", "rank", report=report(2), candidates=CANDIDATES)
    asked = build_question("repair", moment, Path("/home/me"))
    assert asked.title == "Repair a of 2: `intervals.py`, fixes 2 cases, breaks none"
    diff, _, other = asked.content
    assert (diff.path, diff.old_text, diff.new_text) == ("/home/me/intervals.py", CODE, FIXED)
    assert asked.locations and asked.locations[0].line == 8
    assert "**b**" in other.content.text and "```diff" in other.content.text
    assert [(one.option_id, one.kind) for one in asked.options] == [
        ("approve", "allow_once"),
        ("approve:b", "allow_once"),
        ("reject", "reject_once"),
        ("stop", "reject_once"),
    ]


def test_a_long_list_of_candidates_keeps_few_buttons() -> None:
    many = {str(number): CANDIDATES["a"] for number in range(1, 20)}
    options = build_question("repair", snapshot("c", "rank", candidates=many), None).options
    assert len(options) == MOST_OTHERS + 3 and options[-1].option_id == "stop"


def test_a_diagnosis_of_the_search_offers_its_other_lines() -> None:
    moment = snapshot("c", "diagnose", report=report(2), diagnosis={**DIAGNOSIS, "cause": HOSTILE})
    asked = build_question("diagnosis", moment, None)
    assert [one.option_id for one in asked.options] == ["approve", "approve:2", "reject", "stop"]
    assert asked.options[1].name == "Look first at intervals.py:15"
    text = asked.content[0].content.text
    assert "\x1b" not in text and "![x]" not in text


@pytest.mark.parametrize("kind", ["code", "tests", "budget", "stalled", "end"])
def test_every_other_question_can_be_approved_rejected_and_stopped(kind: ReviewKind) -> None:
    budget = {"limit": "max_tokens", "used": 10, "allowed": 5, "reason": "The tokens are used up."}
    moment = snapshot("c", "x", budget=budget, written="spec", suite_files={"test_spec.py": "x = 1\n"}, repeated="So.")
    asked = build_question(kind, moment, None)
    assert [one.option_id for one in asked.options] == ["approve", "reject", "stop"]
    assert "wait" in asked.title


def test_an_option_is_an_answer_and_a_rejection_waits_for_its_reason() -> None:
    assert answer_of("approve", "repair") == approve()
    assert answer_of("approve:2", "repair") == approve("2")
    assert answer_of("stop", "repair") == stop()
    assert answer_of("reject", "repair") is None
    assert answer_of("reject", "budget") == reject("")
    with pytest.raises(InputError, match="was not offered"):
        answer_of("write", "repair")


async def test_a_decision_that_nobody_was_asked_for_is_said() -> None:
    session = FakeSession("s")
    events = [event async for event in session.resume()]
    saved = next(one for one in events if isinstance(one, CheckpointSaved))
    decision = {"kind": "diagnosis", "verdict": "approve", "by": "policy", "note": ""}
    checkpoint = replace(saved.checkpoint, node="review_diagnosis", decision=decision)
    told = Teller("t").told(CheckpointSaved(checkpoint, saved.snapshot))
    assert told[0].content.text == "diagnosis: approved by the run's autonomy\n\n"
