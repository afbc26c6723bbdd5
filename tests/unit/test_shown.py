"""Which lines of the code are marked at a moment, and by which key each is picked."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from selfheal_tui.engine.moment.review import Decision, approve
from selfheal_tui.engine.moment.state import Diagnosis, Repair
from selfheal_tui.engine.moment.steering import at_line, avoided
from selfheal_tui.ui.view.fork_rows import first_lanes, lane_rows, second_lane
from selfheal_tui.ui.view.shown import failing_place, marked_lines
from tests.ui.fakes import CODE, DIAGNOSIS, report, snapshot


def test_places_that_a_key_picks_have_its_number_while_the_diagnosis_is_asked() -> None:
    both: Diagnosis = {**DIAGNOSIS, "evidence": [*DIAGNOSIS["evidence"], DIAGNOSIS["evidence"][0]]}
    asked = marked_lines(snapshot("c2", "diagnose", diagnosis=both))
    assert asked.numbers == {("intervals.py", 8): "1", ("intervals.py", 15): "2"}
    assert list(asked.why) == [("intervals.py", 8), ("intervals.py", 15)]
    later = marked_lines(snapshot("c4", "propose", diagnosis=both))
    assert later.numbers == {} and later.why, "the same keys pick a repair then"


def test_a_diagnosis_that_was_rejected_marks_nothing() -> None:
    decision = cast(Decision, {**approve(), "verdict": "reject", "by": "human"})
    assert not marked_lines(snapshot("c3", "review_diagnosis", diagnosis=DIAGNOSIS, decision=decision)).why
    taken = cast(Decision, {**approve(), "by": "human"})
    assert marked_lines(snapshot("c3", "review_diagnosis", diagnosis=DIAGNOSIS, decision=taken)).why


def test_a_line_is_no_choice_where_it_is_the_only_one_or_a_models_evidence() -> None:
    only: Diagnosis = {**DIAGNOSIS, "evidence": DIAGNOSIS["evidence"][:1]}
    by_model: Diagnosis = {**DIAGNOSIS, "by": "anthropic:claude"}
    for diagnosis in (only, by_model):
        marked = marked_lines(snapshot("c2", "diagnose", diagnosis=diagnosis))
        assert marked.numbers == {} and ("intervals.py", 8) in marked.why


def test_the_function_that_fails_is_shown_before_a_diagnosis_names_a_line() -> None:
    files, red = {"setup.py": "", "intervals.py": CODE}, report(1)
    red["cases"][0]["traceback"] = "intervals.py:14 in merge"
    assert failing_place(snapshot("c1", "run_suite", program=files, report=red)) == ("intervals.py", 11)
    assert failing_place(snapshot("c2", "diagnose", program=files, report=red)) is None


def test_the_lines_of_edits_that_go_together_are_all_marked_and_named() -> None:
    first = DIAGNOSIS["evidence"][0]
    pair: Diagnosis = {**DIAGNOSIS, "evidence": [{**first, "also": [{"file": first["file"], "line": 3, "edit": "x"}]}]}
    marked = marked_lines(snapshot("c2", "diagnose", diagnosis=pair))
    assert list(marked.why) == [("intervals.py", 8), ("intervals.py", 3)]
    assert marked.why["intervals.py", 3] == "x, with line 8" and marked.numbers == {}
    places = ((first["file"], 3), (first["file"], 5), ("b.py", 1))
    others = [{"file": path, "line": line, "edit": "x"} for path, line in places]
    four: Diagnosis = {**DIAGNOSIS, "evidence": [{**first, "also": others}]}  # type: ignore[typeddict-item]
    why = marked_lines(snapshot("c2", "diagnose", diagnosis=four)).why
    assert why["intervals.py", 3] == "x, with lines 5, 8 and b.py:1" and why["b.py", 1].endswith("intervals.py:8")
    now = snapshot("c2", "diagnose", diagnosis=pair)
    assert lane_rows(now)[0].text == "look first at intervals.py:8, with 3"
    changes = {path: text.replace("def merge", "def  merge") for path, text in now.program.items()}
    repair: Repair = {"summary": "line 11: x", "changes": changes, "strategy": "search", "by": "search"}
    asked = replace(now, node="rehearse", candidates={"1": repair})
    assert [row.value for row in lane_rows(asked)[:2]] == ["place=intervals.py:11", "place=1"] == first_lanes(asked)
    assert second_lane("place=intervals.py:11", asked) == "look first at intervals.py:8, with 3"
    chosen = at_line(pair, "intervals.py:11", now.program)
    assert chosen is not None and chosen["by"] == "human" and [one["line"] for one in chosen["evidence"]] == [11]
    assert at_line(pair, "intervals.py:999", now.program) is at_line(pair, "2", now.program) is None
    closed = avoided(["function:overlap", "data"], now.program)
    left = [row.text for row in lane_rows(replace(now, avoid=tuple(closed)))]
    assert not any(words in row for row in left for words in ("intervals.py:8", "overlap", "tables")), left


def test_where_nothing_names_a_place_a_race_offers_the_groups_of_failing_cases() -> None:
    """Only the model stood there, and enter asked for lanes in the words of the command line."""
    red = report(3)
    red["cases"][0]["message"] = red["cases"][1]["message"] = "KeyError: 'a'"
    now = snapshot("c1", "run_suite", program={"intervals.py": CODE}, report=red, models={"*": "search"})
    rows = [row for row in lane_rows(now) if row.value.startswith("group=")]
    assert [row.value for row in rows] == ["group=1", "group=2"] == first_lanes(now)
    assert rows[0].text == "heal first" and rows[0].why.startswith("2 cases fail") and "KeyError" in rows[0].why
