"""Figures of a benchmark: shares with intervals, groups, money, calibration."""

from __future__ import annotations

from typing import Any

import pytest

from selfheal_tui.bench.figures.metrics import TaskResult, calibration, share, summarise, wilson
from selfheal_tui.bench.figures.report import build_report, markdown
from selfheal_tui.engine.moment.state import no_spend


def result(task: str, *, plausible: bool = True, repaired: bool = True, **changes: Any) -> TaskResult:
    """Return a finished task."""
    passed = {"passed": True, "cases": 2, "cases_passed": 2, "trust": "verified", "not_verified": None, "error": None}
    base: Any = {
        "id": task,
        "bug_type": "operator",
        "author": "model-a",
        "outcome": "healed" if plausible else "gave_up",
        "reason": "",
        "plausible": plausible,
        "repaired": repaired,
        "hidden": {**passed, "passed": repaired} if plausible else None,
        "plus": None,
        "has_plus": False,
        "unchanged": not plausible,
        "confidence": None,
        "iterations": 1,
        "candidates": 10,
        "time_s": 1.0,
        "spent": no_spend(),
        "diff": "",
        "finished_at": "",
    }
    return {**base, **changes}


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    # Published worked examples of the score interval: Newcombe 1998 (Stat. Med. 17), table I, and its limits.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_the_published_intervals(count: int, of: int, low: float, high: float) -> None:
    assert wilson(count, of) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_the_interval_stays_inside_and_nothing_has_none() -> None:
    assert wilson(29, 29)[1] == 1.0 and 0.8 < wilson(29, 29)[0] < 0.9
    assert share(0, 0) == {"count": 0, "of": 0, "rate": None, "low": None, "high": None}


def test_a_summary_counts_each_kind_of_end() -> None:
    verdict = result("x")["hidden"]
    assert verdict is not None
    results = [
        result("a", has_plus=True, plus=verdict, time_s=1.0),
        result("b", has_plus=True, plus={**verdict, "passed": False}, hidden={**verdict, "trust": "provisional"}),
        result("c", repaired=False, author="model-b", time_s=3.0),
        result("d", plausible=False, repaired=False, bug_type="loop", time_s=9.0),
        result("e", unchanged=True, repaired=False, time_s=2.0),
    ]
    found = summarise(results)
    assert (found["repaired"]["count"], found["repaired"]["of"], found["pass_at_1"]) == (2, 5, 0.4)
    assert (found["plausible"]["count"], found["plausible_but_wrong"]["count"]) == (4, 2)
    assert (found["repaired_plus"]["count"], found["repaired_plus"]["of"]) == (1, 2)
    assert (found["passed_as_given"], found["not_verified"]) == (1, 1)
    assert (found["repaired_of_failing"]["count"], found["repaired_of_failing"]["of"]) == (2, 4)
    assert found["by_bug_type"]["loop"]["repaired"]["of"] == 1
    assert list(found["by_author"]) == ["model-a", "model-b"]
    assert found["time_s"]["median"] == 2.0 and found["time_s"]["p90"] == 9.0
    assert found["calibration"] is None


def test_money_of_unknown_price_is_not_guessed() -> None:
    priced = {**no_spend(), "calls": 2, "input_tokens": 100, "output_tokens": 50, "cost_usd": 0.5}
    known = summarise([result("a", spent=priced), result("b", spent=priced, repaired=False)])["spent"]
    assert (known["cost_usd"], known["cost_usd_per_repair"], known["tokens_median"]) == (1.0, 1.0, 150)
    unknown = summarise([result("a", spent=priced), result("b", spent={**priced, "cost_usd": None})])["spent"]
    assert (unknown["cost_usd"], unknown["unknown_prices"], unknown["calls"]) == (None, 1, 4)


def test_calibration_compares_what_was_said_with_what_held() -> None:
    sure = [result(f"s{n}", confidence=0.9, repaired=n < 3) for n in range(4)]
    doubtful = [result("d", confidence=0.1, repaired=False)]
    unsaid = [result("u"), result("p", confidence=1.0, plausible=False, repaired=False)]
    found = calibration([*sure, *doubtful, *unsaid])
    assert found is not None and found["repairs"] == 5
    assert [(row["from"], row["repaired"]["count"], row["repaired"]["of"]) for row in found["bins"]] == [
        (0.0, 0, 1),
        (0.8, 3, 4),
    ]
    assert found["ece"] == pytest.approx(4 / 5 * 0.15 + 1 / 5 * 0.1, abs=1e-4)
    assert found["brier"] == pytest.approx((3 * 0.01 + 0.81 + 0.01) / 5, abs=1e-4)


def test_the_markdown_says_what_was_left_out_and_holds_no_foreign_markup() -> None:
    header: dict[str, Any] = {
        "started_at": "2026-01-01",
        "config": {
            "suite": "own|suite",
            "data": "own.jsonl",
            "data_sha256": "ab" * 32,
            "tests_given": "visible",
            "models": {"*": "search"},
            "limits": {"max_iterations": 6, "max_tokens": None, "max_time_s": 10.0},
            "versions": {"selfheal": "0"},
            "prompts": {"debugger": "cd" * 32},
        },
        "chosen": {"limit": 3, "ids": [], "seed": None, "jobs": 1},
        "machine": {"system": "Linux", "processor": "x", "cores": 2},
    }
    results = [result("a|b\x1b[31m<img>", time_s=12.5), result("c", plausible=False, repaired=False, bug_type="loop")]
    left_out = {"x": "no visible tests", "y": "no visible tests"}
    report = build_report(header, results, selected=3, not_tried=left_out)
    text = markdown(report)
    assert not report["complete"] and "**Not finished**: 2 of 3 tasks." in text
    assert "Not tried, and not counted: 2 records, no visible tests." in text
    assert "| 1 of 2 | 50.0 % | 9.5 to 90.5 % |" in text
    assert "- 1 task worked longer than the 10 s that were given." in text
    assert "\x1b" not in text and "a\\|b" in text and "<img" not in text and "| loop | 0 of 1 (0.0 %)" in text
    assert "## Tasks" not in markdown(report, listed=0)


def test_the_edits_of_right_repairs_are_compared_with_what_was_needed_and_with_the_reference() -> None:
    small, large = {"lines": 1, "tokens": 2}, {"lines": 4, "tokens": 20}
    precise = result("a", edit={"size": small, "needed": small, "reference": small, "shared": small})
    rewritten = result("b", edit={"size": large, "needed": small, "reference": small, "shared": small})
    alone = result("c", edit={"size": small, "needed": small, "reference": None, "shared": None})
    edits = summarise([precise, rewritten, alone, result("d", repaired=False)])["edits"]
    assert (edits["repairs"], edits["with_reference"]) == (3, 2)
    assert edits["needed"] == {"lines": 0.75, "tokens": 0.7}
    assert edits["precision"] == {"lines": 0.625, "tokens": 0.55} and edits["recall"] == {"lines": 1.0, "tokens": 1.0}
    assert summarise([result("d", repaired=False)])["edits"] is None
