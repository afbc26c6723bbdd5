"""The model of the run screen: every event, and what may be answered where."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from selfheal_tui.engine.moment.events import (
    CallBegun,
    CallFinished,
    CallWaits,
    CandidateRehearsed,
    CaseFinished,
    CheckpointSaved,
    DriverSeen,
    Event,
    LaneResult,
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
    ThoughtStreamed,
    TokenStreamed,
    ToolCalled,
    suite_ran,
)
from selfheal_tui.engine.moment.review import approve
from selfheal_tui.engine.moment.state import no_spend
from selfheal_tui.errors import ProviderError
from selfheal_tui.llm.base import Usage
from selfheal_tui.ui.run.cards.panels import panel
from selfheal_tui.ui.run.status import status_line, window_title
from selfheal_tui.ui.run.status_bar import build_status
from selfheal_tui.ui.view.model import Review, RunModel, back_to_now, look_at, pause_run, reduce, start_run, step_from
from tests.ui.fakes import FakeSession, report, snapshot


async def reviewed(*answers: str) -> tuple[RunModel, FakeSession]:
    """Play the fake session up to its question, then approve as often as asked."""
    session, model = FakeSession("s"), start_run(RunModel())
    async for event in session.resume():
        model = reduce(model, event)
    for checkpoint_id in answers:
        model = start_run(model)
        async for event in session.decide(checkpoint_id, approve()):
            model = reduce(model, event)
    return model, session


async def test_a_question_stops_the_run_and_can_be_answered() -> None:
    model, session = await reviewed()
    assert not model.running
    assert model.question == model.review == Review("c3", "diagnosis")
    assert model.timeline.checkpoints == (await session.timeline()).checkpoints


async def test_the_live_timeline_is_the_stored_one_after_a_decision() -> None:
    model, session = await reviewed("c3")
    stored = await session.timeline()
    assert model.timeline == stored
    assert stored.checkpoints["c3"].pending is None
    assert model.timeline.branches["main"].outcome == "waiting"


async def test_an_answered_question_of_the_past_can_be_answered_again() -> None:
    model, session = await reviewed("c3")
    past = look_at(model, await session.snapshot("c3"))
    assert past.question == Review("c3", "diagnosis", again=True)
    assert past.position == "c3"
    assert look_at(model, await session.snapshot("c2")).question is None
    assert back_to_now(past) == model


async def test_nothing_is_asked_while_a_run_goes_on() -> None:
    model, session = await reviewed("c3")
    running = look_at(start_run(model), await session.snapshot("c3"))
    assert running.past is not None
    assert running.question is None


async def test_looking_at_the_newest_moment_is_now() -> None:
    model, session = await reviewed()
    assert look_at(model, await session.snapshot("c3")).past is None


async def test_stepping_follows_the_line_that_leads_to_now() -> None:
    model, session = await reviewed("c3", "c3")
    assert len(model.timeline.children["c3"]) == 2
    assert model.position is not None
    path = [model.position]
    while (before := step_from(look_at(model, await session.snapshot(path[-1])), -1)) is not None:
        path.append(before)
    assert path == ["c7", "c6", "c3", "c2", "c1"]
    assert step_from(look_at(model, await session.snapshot("c3")), 1) == "c6"
    assert step_from(model, 1) is None


async def test_the_end_is_told() -> None:
    model, _ = await reviewed("c3", "c5")
    assert (model.outcome, model.running, model.question) == ("healed", False, None)


def test_what_is_live_is_forgotten_at_the_next_node() -> None:
    case = report(1)["cases"][0]
    model = reduce(reduce(start_run(RunModel()), NodeStarted("run_suite")), CaseFinished(case))
    assert model.live.cases == (case,)
    model = reduce(model, SearchProgressed(3, 10, "fixes 1"))
    assert model.live.search == SearchProgressed(3, 10, "fixes 1")
    assert reduce(model, NodeStarted("diagnose")).live.cases == ()


def test_a_failure_keeps_what_was_saved() -> None:
    now = snapshot("c1", "run_suite")
    error = ProviderError("No answer.", "Try later.")
    model = reduce(RunModel(committed=now, running=True), RunFailed(error))
    assert (model.committed, model.error, model.running) == (now, error, False)
    assert start_run(model).error is None


def test_a_session_driven_elsewhere_asks_nothing_here() -> None:
    now = snapshot("c1", "diagnose")
    asked = reduce(RunModel(committed=now), ReviewRequested("c1", "main", "diagnosis", now))
    assert asked.question is not None
    watched = reduce(asked, DriverSeen("process 7 on there"))
    assert (watched.question, watched.review, watched.watched) == (None, asked.review, "process 7 on there")
    left = reduce(reduce(watched, NodeStarted("plan")), DriverSeen(""))
    assert (left.watched, left.running, left.live.node, left.question) == ("", False, "", None)


def test_a_race_that_is_driven_elsewhere_is_no_end_of_the_session() -> None:
    now = snapshot("c1", "run_suite", outcome="healed")
    watched = reduce(RunModel(committed=now), DriverSeen("process 7 on there"))
    healed = reduce(watched, RunFinished(now))
    assert "healed" in panel(healed, "s1")[2].plain
    racing = reduce(healed, LaneTold("race-minimal", NodeStarted("propose")))
    assert "a race runs there" in panel(racing, "s1")[2].plain and "healed" not in panel(racing, "s1")[2].plain
    chosen = reduce(racing, RaceFinished(now, (LANE,), no_spend()))
    assert "a race waits for a choice there" in panel(chosen, "s1")[2].plain
    assert "healed" not in panel(chosen, "s1")[2].plain
    kept = reduce(chosen, RunFinished(now))
    assert "race" not in panel(kept, "s1")[2].plain and "healed" in panel(kept, "s1")[2].plain


def test_a_pause_ends_the_overlay_only() -> None:
    now = snapshot("c1", "run_suite")
    model = pause_run(reduce(RunModel(committed=now), NodeStarted("diagnose")))
    assert (model.running, model.live.node, model.committed) == (False, "", now)


LANE = LaneResult("race-minimal", "strategies=minimal", "c9", "gave_up", "", None, 1, 1, no_spend())


def _events() -> list[Event]:
    now = snapshot("c9", "run_suite", outcome="gave_up")
    checkpoint = FakeSession("s")._save("start", ("run_suite",)).checkpoint
    return [
        NodeStarted("propose"),
        CallBegun("repairer"),
        ThoughtStreamed("repairer", "Hm. "),
        TokenStreamed("repairer", "x"),
        CallFinished("repairer", "p:m", Usage(1, 2, None), replayed=True, degraded=""),
        CallWaits("repairer", 1.0, 2, "The server is busy."),
        PromptShortened("repairer", 8192, ("2 older repairs",)),
        CaseFinished(report(1)["cases"][0]),
        suite_ran("rehearsal", report(1), 0.5),
        SearchProgressed(1, 2, ""),
        CandidateRehearsed("a", 1, 0),
        StrategyEnded("rewrite", "The model's repair changes nothing."),
        ToolCalled("read_file", "shop.py", "Let me look.", "1 def total():"),
        Noticed("The critic is left out."),
        NoteRead("Amounts, no shares.", "diagnose"),
        CheckpointSaved(checkpoint, now),
        DriverSeen("process 7 on there"),
        ReviewRequested("unknown", "main", "repair", now),
        RunFinished(now),
        RunFailed(ProviderError("x")),
        LaneTold("race-minimal", CheckpointSaved(checkpoint, now)),
        RaceFinished(now, (LANE,), no_spend()),
    ]


def test_the_list_below_holds_every_event() -> None:
    assert {type(e) for e in _events()} == set(get_args(Event))


@pytest.mark.parametrize("event", _events(), ids=lambda e: type(e).__name__)
def test_any_event_is_taken_in_any_state(event: Event) -> None:
    for other in _events():
        model = reduce(reduce(RunModel(), other), event)
        if isinstance(event, ReviewRequested | RunFinished | RunFailed | RaceFinished):
            assert not model.running
    if isinstance(event, TokenStreamed | ThoughtStreamed):
        assert reduce(RunModel(), event) == RunModel()


def test_a_model_thinks_from_when_it_is_asked_until_it_speaks() -> None:
    asked = reduce(RunModel(), CallBegun("debugger"))
    assert asked.live.thinks == "debugger"
    assert reduce(asked, ThoughtStreamed("debugger", "Hm. ")) is asked, "what it thinks redraws nothing here"
    for event in (TokenStreamed("debugger", "{"), CallWaits("debugger", 1.0, 2, "The server is busy.")):
        assert reduce(asked, event).live.thinks == ""


async def test_a_lane_moves_the_tree_and_nothing_else() -> None:
    model, session = await reviewed()
    told = session._save("plan", ("propose",), parent="c2", branch="race-minimal")
    racing = reduce(start_run(model), LaneTold("race-minimal", told))
    racing = reduce(racing, LaneTold("race-minimal", NodeStarted("propose")))
    assert panel(racing, "s")[2].plain.startswith("1 "), "the number that keeps it in the end"
    assert (racing.committed, racing.lanes) == (model.committed, {"race-minimal": "propose"})
    assert "race-minimal" in racing.timeline.branches and racing.timeline.stands == "main"
    ended = reduce(racing, RaceFinished(told.snapshot, (LANE,), no_spend()))
    assert ended.race is not None and not ended.running and ended.committed == model.committed
    assert start_run(ended).race is None


async def test_a_paused_race_names_the_lane_that_asks_and_the_way_to_it() -> None:
    """`p` led to "nothing is asked now", and `R` back to the race."""
    model, session = await reviewed()
    told = session._save("diagnose", ("review_diagnosis",), parent="c2", branch="race-minimal")
    racing = reduce(start_run(model), LaneTold("race-minimal", told))
    quiet = pause_run(racing)
    assert "waits for your decision" not in panel(quiet, "s")[2].plain
    asked = reduce(racing, LaneTold("race-minimal", ReviewRequested("c9", "race-minimal", "diagnosis", told.snapshot)))
    branch = replace(asked.timeline.branches["race-minimal"], outcome="waiting")
    timeline = replace(asked.timeline, branches={**asked.timeline.branches, "race-minimal": branch})
    _, _, content, keys = panel(pause_run(replace(asked, timeline=timeline)), "s")
    assert "race-minimal waits for your decision: B, then enter on the lane" in content.plain
    assert ("B", "branches", "branches") in keys


def test_the_window_of_a_session_driven_elsewhere_does_not_ask() -> None:
    now = snapshot("c1", "diagnose")
    model = reduce(RunModel(committed=now), ReviewRequested("c1", "main", "diagnosis", now))
    watched = reduce(model, DriverSeen("process 7 on there"))
    assert window_title(watched, "shop") == "◎ selfheal: driven by process 7 on there · shop"
    assert window_title(reduce(watched, DriverSeen("")), "shop") == "◎ selfheal: nobody drives it: R goes on · shop"
    assert status_line(watched, "shop").read_only and not status_line(model, "shop").read_only


async def test_a_lane_of_a_race_says_how_far_its_search_is() -> None:
    model, _ = await reviewed()
    racing = reduce(start_run(model), LaneTold("race-minimal", NodeStarted("propose")))
    racing = reduce(racing, LaneTold("race-minimal", SearchProgressed(1500, 4000, "line 8: `<` becomes `<=`")))
    assert racing.lanes_tell == {"race-minimal": "1,500 edits tried, best so far: line 8: `<` becomes `<=`"}
    assert "1,500 edits tried" in panel(racing, "s")[2].plain
    later = reduce(racing, LaneTold("race-minimal", NodeStarted("rank")))
    assert later.lanes_tell == {"race-minimal": ""}


def test_a_pause_says_that_a_search_starts_anew_only_where_one_ran() -> None:
    now = snapshot("c3", "diagnose", models={"*": "search"})
    searching = reduce(RunModel(committed=now), NodeStarted("propose"))
    searching = reduce(searching, SearchProgressed(64, 4372, "line 8: `<=` becomes `<`"))
    anew = "The search starts anew when you go on."
    assert anew in panel(pause_run(searching), "s1")[2].plain
    rehearsing = reduce(searching, CandidateRehearsed("search 1", 2, 0))
    assert anew not in panel(pause_run(rehearsing), "s1")[2].plain
    diagnosing = reduce(RunModel(committed=now), NodeStarted("diagnose"))
    assert anew in panel(pause_run(diagnosing), "s1")[2].plain
    by_model = reduce(RunModel(committed=snapshot("c3", "run_suite", models={"*": "a:b"})), NodeStarted("diagnose"))
    assert anew not in panel(pause_run(by_model), "s1")[2].plain
    assert not start_run(pause_run(searching)).search_lost


def test_a_session_that_is_being_opened_is_not_said_to_run() -> None:
    """A finished one was "Running, starting" until its last moment was read."""
    title, _, content, keys = panel(start_run(RunModel()), "s1")
    assert (title, content.plain, keys) == ("▸ Opening", "opening the session", [])
    line = build_status(status_line(start_run(RunModel()), "s1"), 140).plain
    assert "opening" in line and "running" not in line and "iteration" not in line


def test_what_runs_is_said_in_one_place_of_the_screen() -> None:
    model = reduce(RunModel(committed=snapshot("c1", "start")), NodeStarted("diagnose"))
    assert panel(model, "s1")[2].plain == "looking for the cause"
    assert status_line(model, "shop").state == "▸ running"
    assert window_title(model, "shop") == "▸ selfheal: looking for the cause · shop"
