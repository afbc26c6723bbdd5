"""Two moments side by side: the matrix over a fork, flips, the diagnosis, what was spent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from selfheal_tui.engine.history.compare import compare
from selfheal_tui.engine.history.matrix import flips_along, suite_runs
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import no_spend
from selfheal_tui.engine.moment.timeline import Checkpoint, Timeline, build_timeline
from tests.unit.test_cli_result import DIAGNOSIS, SNAPSHOT


def report(**outcomes: str) -> Any:
    cases = [{"id": f"t.py::{name}", "outcome": outcome} for name, outcome in outcomes.items()]
    counts = {word: list(outcomes.values()).count(word) for word in ("passed", "failed", "skipped")}
    return {**counts, "errors": 0, "timeouts": 0, "cases": cases}


def point(id: str, parent: str | None, node: str, branch: str = "main") -> Checkpoint:
    counts = {"passed": 1, "failed": 1} if node == "run_suite" else {"passed": None, "failed": None}
    return Checkpoint(id, parent, branch, 0, node, (), 0, "", decision=None, pending=None, outcome="", **counts)  # type: ignore[arg-type]


def moment(id: str, branch: str, iteration: int, text: str, **outcomes: str) -> Snapshot:
    program = {"p.py": text}
    return replace(
        SNAPSHOT, checkpoint_id=id, branch=branch, iteration=iteration, program=program, report=report(**outcomes)
    )


def forked() -> Timeline:
    """c1 run - c2 apply - c3 run (main)
    `- c4 apply - c5 run (other)"""
    return build_timeline(
        [
            point("c1", None, "run_suite"),
            point("c2", "c1", "apply"),
            point("c3", "c2", "run_suite"),
            point("c4", "c1", "apply", "other"),
            point("c5", "c4", "run_suite", "other"),
        ]
    )


RUNS = {
    "c1": moment("c1", "main", 0, "x = 1\n", one="failed", two="passed", old="failed"),
    "c3": moment("c3", "main", 1, "x = 2\n", one="passed", two="passed"),
    "c5": moment("c5", "other", 1, "x = 3\n", one="failed", two="failed", new="passed"),
}


def test_the_columns_are_what_both_share_then_each_sides_own() -> None:
    found = compare(forked(), RUNS["c3"], RUNS["c5"], RUNS)
    assert [(c["on"], c["checkpoint_id"]) for c in found["columns"]] == [("both", "c1"), ("a", "c3"), ("b", "c5")]
    assert found["common"] == "c1"
    rows = {row["id"].removeprefix("t.py::"): row for row in found["cases"]}
    assert rows["one"]["outcomes"] == ["failed", "passed", "failed"]
    # b's own run follows what both share, not a's run beside it.
    assert rows["one"]["flips"] == ["", "fixed", ""] and rows["two"]["flips"] == ["", "", "broke"]
    assert rows["new"]["outcomes"] == [None, None, "passed"] and not rows["new"]["flipped"]
    assert (found["fixed"], found["broken"]) == ([], ["t.py::one", "t.py::two"])
    assert found["changed"] == ["p.py"] and "-x = 2\n+x = 3\n" in found["diff"]


def test_the_diagnosis_is_compared_field_by_field() -> None:
    other: Any = {**DIAGNOSIS, "cause": "a sign is wrong", "confidence": 0.9}
    found = compare(forked(), RUNS["c3"], replace(RUNS["c5"], diagnosis=other), RUNS)
    assert [pair["field"] for pair in found["diagnosis"] if not pair["same"]] == ["cause", "confidence"]
    without = replace(RUNS["c3"], diagnosis=None)
    assert compare(forked(), without, without, RUNS)["diagnosis"] == []
    assert not any(pair["same"] for pair in compare(forked(), without, RUNS["c5"], RUNS)["diagnosis"])


def test_an_unknown_price_makes_an_unknown_difference() -> None:
    a = replace(RUNS["c3"], spent={**no_spend(), "calls": 2, "cost_usd": 0.5, "time_s": 3.0})
    b = replace(RUNS["c5"], spent={**no_spend(), "calls": 5, "cost_usd": 0.25, "time_s": 1.5})
    more = compare(forked(), a, b, RUNS)["more_spent"]
    assert (more["calls"], more["cost_usd"], more["time_s"]) == (3, -0.25, -1.5)
    b = replace(b, spent={**b.spent, "cost_usd": None})
    assert compare(forked(), a, b, RUNS)["more_spent"]["cost_usd"] is None


def test_a_report_of_an_earlier_program_is_told_apart() -> None:
    edited = replace(RUNS["c5"], checkpoint_id="c4", program={"p.py": "x = 9\n"})
    found = compare(forked(), RUNS["c3"], edited, RUNS)
    assert found["a"]["suite_is_current"] and not found["b"]["suite_is_current"]


def test_a_moment_against_itself_differs_in_nothing() -> None:
    found = compare(forked(), RUNS["c3"], RUNS["c3"], RUNS)
    assert (found["diff"], found["changed"], found["fixed"], found["broken"]) == ("", [], [], [])
    assert {column["on"] for column in found["columns"]} == {"both"} and found["more_spent"] == no_spend()


def test_only_passing_and_not_passing_are_told_apart() -> None:
    assert flips_along(["failed", "timeout", "passed", None, "passed"], [None, 0, 1, 2, 3]) == [
        *("", "", "fixed", "", "")
    ]


def test_the_runs_on_the_way_are_found() -> None:
    assert suite_runs(forked(), "c5") == ("c1", "c5") and suite_runs(forked(), "c2") == ("c1",)
