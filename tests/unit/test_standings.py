"""Lanes of a race that came to the same say so, and why where that is known."""

from __future__ import annotations

from dataclasses import replace

from selfheal_tui.cli.race import race_json, race_text
from selfheal_tui.engine.history.standings import lane_result, race_result, ranked
from selfheal_tui.engine.moment.events import CheckpointSaved, LaneResult
from selfheal_tui.engine.moment.gist import diagnosis_words
from selfheal_tui.engine.moment.limits import race_limits
from selfheal_tui.engine.moment.state import no_spend
from tests.ui.fakes import DIAGNOSIS, FIXED, FakeSession, repair, snapshot

MINIMAL = LaneResult("race-minimal", "strategies=minimal", "c1", "healed", "", None, 2, 0, no_spend(), "ref", "nothing")
REWRITE = replace(MINIMAL, branch="race-rewrite", says="strategies=rewrite")


def test_two_lanes_of_the_search_say_why_they_are_the_same() -> None:
    first, second = race_result(snapshot("c0", "run_suite"), [MINIMAL, REWRITE]).lanes
    assert first.same == ""
    assert second.same == "The same result as race-minimal: the search works the same way whatever the strategy."


def test_a_lane_says_what_it_has_and_what_its_repair_would_pass_counts() -> None:
    start, first = snapshot("c0", "run_suite"), repair(FIXED, 0, 1)
    moments = [
        snapshot("c1", "diagnose", pending="diagnosis", diagnosis=DIAGNOSIS),
        snapshot("c2", "rehearse", candidates={"1": first}),
    ]
    checkpoint = FakeSession("s")._save("start", ("run_suite",)).checkpoint
    lanes = [
        lane_result(start, name, {}, CheckpointSaved(checkpoint, moment), None)
        for name, moment in zip("ab", moments, strict=True)
    ]
    best, other = race_result(start, lanes).lanes
    assert (
        best.branch == "b"
        and best.has == "1 repair, 1: line 8 `<= b[1] and b[0] <=` -> `< b[1] and b[0] <`, with it 7/7 pass"
    )
    assert other.has == diagnosis_words(DIAGNOSIS) and other.would_pass is None


def test_lanes_that_differ_or_failed_are_not_called_the_same() -> None:
    for other in (replace(REWRITE, result_ref="other"), replace(REWRITE, outcome="failed")):
        lanes = race_result(snapshot("c0", "run_suite"), [MINIMAL, other]).lanes
        assert [lane.same for lane in lanes] == ["", ""]
    by_model = race_result(snapshot("c0", "run_suite"), [MINIMAL, replace(REWRITE, beside_strategy="")]).lanes
    assert by_model[1].same == "The same result as race-minimal."
    groups = [
        replace(MINIMAL, says=f"group={n}", branch=f"race-group-{n}", beside_strategy=f"group={n}") for n in (2, 1)
    ]
    ordered = race_result(snapshot("c0", "run_suite"), groups).lanes
    assert ordered[1].same == "The same result as race-group-2."
    better = race_result(snapshot("c0", "run_suite"), [groups[0], replace(groups[1], outcome="waiting", failed=1)])
    assert [lane.branch for lane in better.lanes] == ["race-group-2", "race-group-1"], "the best is the first"
    assert better.best == "race-group-2" and race_result(snapshot("c0", "run_suite"), groups).best == "", "none leads"
    assert [lane.branch for lane in better.by_key] == ["race-group-1", "race-group-2"], "the key is the number"
    late = race_result(snapshot("c0", "run_suite"), [replace(MINIMAL, outcome="waiting", failed=1), REWRITE])
    assert late.lanes[0].branch == REWRITE.branch, "the best is the first"
    assert [lane.branch for lane in late.by_key] == [MINIMAL.branch, REWRITE.branch], "numbers stay as they began"


def test_cases_of_other_groups_that_wait_are_of_the_whole() -> None:
    waits = snapshot("c1", "rehearse", candidates={"1": repair(FIXED, 0, 1)}, waiting=("t.py::a", "t.py::b"))
    checkpoint = replace(FakeSession("s")._save("start", ("run_suite",)).checkpoint, passed=5, failed=2)
    lane = lane_result(snapshot("c0", "run_suite"), "a", {}, CheckpointSaved(checkpoint, waits), None)
    assert (lane.passed, lane.failed) == (5, 4) and lane.has.endswith("with it 7/9 pass")


def test_of_two_lanes_with_as_many_cases_the_one_that_asks_is_proposed() -> None:
    ended = replace(MINIMAL, outcome="gave_up", passed=1, failed=3, would_pass=3, spent={**no_spend(), "time_s": 1.0})
    asks = replace(ended, branch="race-2", outcome="waiting", asks="repair", spent={**no_spend(), "time_s": 9.0})
    assert [lane.branch for lane in ranked([ended, asks])] == ["race-2", "race-minimal"]


def test_of_two_lanes_with_as_many_cases_the_less_doubted_is_first() -> None:
    quick = replace(MINIMAL, doubts=("It changes a constant.", "Nobody looked."), spent={**no_spend(), "time_s": 1.0})
    plain = replace(MINIMAL, branch="race-2", doubts=("Nobody looked.",), spent={**no_spend(), "time_s": 9.0})
    assert [lane.branch for lane in ranked([quick, plain])] == ["race-2", "race-minimal"]


def test_what_speaks_against_a_lane_is_said_as_everywhere() -> None:
    start = snapshot("c0", "run_suite")
    doubtful = replace(snapshot("c1", "conclude", outcome="healed"), doubts=("Nobody looked at this repair: x.",))
    checkpoint = replace(FakeSession("s")._save("conclude", ()).checkpoint, outcome="healed")
    ended = race_result(start, [lane_result(start, "a", {}, CheckpointSaved(checkpoint, doubtful), None)])
    told = race_json("s1", ended)["lanes"][0]
    assert told["doubts"] == [{"call": "", "values": [], "why": "Nobody looked at this repair: x."}]
    text = race_text("s1", ended)
    assert text.startswith("a  healed, with doubts ") and "   ⚠ Nobody looked at this repair: x." in text


def test_a_budget_that_was_passed_is_said_with_the_reason() -> None:
    limits = race_limits({"max_time_s": 60})
    spent = {**no_spend(), "time_s": 40.0}
    lanes = [replace(MINIMAL, spent=spent), replace(REWRITE, spent=spent)]
    passed = race_result(snapshot("c0", "run_suite"), lanes, limits)
    assert passed.over.startswith("Over the budget (80 s of 60 s): what had begun ")
    assert passed.over in race_text("s1", passed) and race_json("s1", passed)["over"] == passed.over
    assert race_result(snapshot("c0", "run_suite"), lanes[:1], limits).over == ""
