"""Rehearsal figures and the order of repairs."""

from __future__ import annotations

from typing import Any

from selfheal_tui.engine.moment.state import Repair
from selfheal_tui.engine.workshop.rank import left_out_words, rank_repairs, rehearsed
from selfheal_tui.sandbox.base import CaseResult, SuiteReport

PROGRAM = {"a.py": "x = 1\ny = 2\n"}


def report(**outcomes: Any) -> SuiteReport:
    cases: list[CaseResult] = [
        {
            "id": name,
            "outcome": outcome,
            "message": "",
            "expected": None,
            "actual": None,
            "location": None,
            "traceback": "",
            "duration_s": 0.0,
            "output": "",
        }
        for name, outcome in outcomes.items()
    ]
    bad = sum(c["outcome"] != "passed" for c in cases)
    return {
        "passed": len(cases) - bad,
        "failed": bad,
        "errors": 0,
        "timeouts": 0,
        "skipped": 0,
        "duration_s": 0.1,
        "isolation": [],
        "trust": "provisional",
        "not_verified": "x",
        "truncated": False,
        "cases": cases,
        "verdict": "failed" if bad else "passed",
        "error": None,
    }


def tried(text: str, after: SuiteReport, strategy: str = "minimal") -> Repair:
    repair: Repair = {"summary": text, "changes": {"a.py": text}, "strategy": strategy, "by": "search"}
    return rehearsed(repair, PROGRAM, report(one="passed", two="failed", three="failed"), after)


def test_rehearsal_names_what_is_fixed_and_broken() -> None:
    result = tried("x = 1\ny = 3\n", report(one="failed", two="passed"))
    assert (result["fixes"], result["breaks"]) == (["two"], ["one"])
    assert result["diff"] == "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n"


def test_a_case_that_vanishes_is_broken() -> None:
    assert tried("x = 1\ny = 3\n", report(two="passed"))["breaks"] == ["one"]


def test_a_case_that_is_skipped_now_is_not_broken() -> None:
    assert tried("x = 1\ny = 3\n", report(one="skipped", two="passed"))["breaks"] == []


def test_order_is_green_then_unbroken_then_fixes_then_size() -> None:
    green = tried("x = 9\ny = 9\n", report(one="passed", two="passed", three="passed"))
    small = tried("x = 1\ny = 3\n", report(one="passed", two="passed", three="failed"))
    large = tried("x = 5\ny = 3\n", report(one="passed", two="passed", three="failed"))
    breaks = tried("x = 1\ny = 4\n", report(one="failed", two="passed", three="passed"))
    ranked = rank_repairs([breaks, large, small, green])
    assert [r["summary"] for r in ranked] == [r["summary"] for r in (green, small, large, breaks)]
    assert [r["rank"] for r in ranked] == [1, 2, 3, 4]
    assert ranked[0]["reasons"][0] == "every case passes" and "breaks 1 case" in ranked[3]["reasons"]


def test_what_the_search_found_keeps_its_order() -> None:
    good = report(one="passed", two="passed", three="passed")
    likely, small = tried("x = 5\ny = 3\n", good, "search"), tried("x = 1\ny = 3\n", good, "search")
    other = tried("x = 1\ny = 7\n", good)
    ranked = [r["summary"] for r in rank_repairs([likely, small, other])]
    assert ranked == [other["summary"], likely["summary"], small["summary"]]


def test_a_part_comes_right_behind_the_whole_where_nobody_looks() -> None:
    good = report(one="passed", two="passed", three="passed")
    whole: Repair = {**tried("x = 9\ny = 9\n", good), "key": "whole"}
    part: Repair = {**tried("x = 1\ny = 9\n", good), "key": "part", "part_of": "whole"}
    other: Repair = {**tried("x = 8\ny = 2\n", good), "key": "other"}
    alone: Repair = {**tried("x = 7\ny = 2\n", good), "key": "alone", "part_of": "gone"}
    assert [one["key"] for one in rank_repairs([whole, part, other])] == ["part", "other", "whole"]
    unwatched = rank_repairs([alone, part, whole, other], unwatched=True)
    assert [one["key"] for one in unwatched] == ["alone", "other", "whole", "part"]
    assert [one["rank"] for one in unwatched] == [1, 2, 3, 4]


def test_what_helps_at_the_chosen_line_comes_first() -> None:
    whole = tried("x = 1\ny = 3\n", report(one="passed", two="passed", three="passed"), "search")
    part: Repair = {**tried("x = 2\ny = 2\n", report(one="passed", two="passed", three="failed"), "search")}
    useless = tried("x = 3\ny = 2\n", report(one="passed", two="failed", three="failed"), "search")
    chosen: list[Repair] = [whole, {**useless, "at_chosen": True}, {**part, "at_chosen": True}]
    assert [repair["summary"] for repair in rank_repairs(chosen)] == [
        part["summary"],
        whole["summary"],
        useless["summary"],
    ]
    assert "at a line that you chose" in rank_repairs(chosen)[0]["reasons"]
    by_model: Repair = {**whole, "strategy": "minimal"}
    assert rank_repairs([by_model, *chosen[1:]])[0] == {**rank_repairs([by_model, *chosen[1:]])[0], **by_model}


def test_repairs_that_are_no_candidates_are_counted_with_their_reason() -> None:
    words = left_out_words(["a", "b", "b", "c", "d"], {"a", "d"}, "c")
    assert words == (
        "4 of 5 repairs are left out (2 tried before on this branch, 1 the same as the program is now, "
        "1 the same as another one)."
    )
    assert left_out_words(["a", "b"], set(), "c") == ""


def test_of_two_changes_of_one_line_the_more_precise_comes_first() -> None:
    green = report(one="passed", two="passed", three="passed")
    wide, narrow = tried("x = 1\nz = 3 + 1 - 1\n", green), tried("x = 1\ny = 3\n", green)
    assert [repair["summary"] for repair in rank_repairs([wide, narrow])] == [narrow["summary"], wide["summary"]]
