"""pass@k and what differs between tries, checked against counting all draws."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from selfheal_tui.bench.figures.metrics import summarise
from selfheal_tui.bench.figures.report import _tries
from selfheal_tui.bench.figures.tries import each_try, over_tries, pass_at_k
from selfheal_tui.bench.suites.records import build_record
from tests.bench_data import record


def result(name: str, attempt: int, repaired: bool) -> dict[str, Any]:
    """Return what of a result these figures read."""
    if attempt == 1:
        return {"id": name, "repaired": repaired}
    return {"id": f"{name}#{attempt}", "attempt": attempt, "repaired": repaired}


@pytest.mark.parametrize("tries", [1, 2, 5])
def test_pass_at_k_is_the_share_of_all_draws_that_hold_a_right_try(tries: int) -> None:
    for right in range(tries + 1):
        for k in range(1, tries + 1):
            draws = list(combinations([number < right for number in range(tries)], k))
            assert pass_at_k(tries, right, k) == pytest.approx(sum(map(any, draws)) / len(draws))


def test_tasks_tried_once_have_no_such_figures() -> None:
    assert over_tries([]) is None and over_tries([result("a", 1, True)]) is None


def test_figures_over_tries() -> None:
    rows = [
        *(result("a", number, True) for number in (1, 2)),
        *(result("b#2", number, number == 2) for number in (1, 2)),
        *(result("c", number, False) for number in (1, 2)),
        result("d", 1, True),
    ]
    figures = over_tries(rows)
    assert figures is not None
    assert (figures["tasks"], figures["tried_in_full"], figures["tries"], figures["changing"]) == (4, 3, 2, 1)
    assert figures["pass_at_k"] == {"1": round((1 + 0.5 + 0 + 1) / 4, 4), "2": round(2 / 3, 4)}
    assert figures["by_try"] == [round(1 / 3, 4), round(2 / 3, 4)] and figures["deviation"] == round(2**0.5 / 6, 4)
    text = "\n".join(_tries(figures))
    assert "| pass@k | 62.5 % | 66.7 % |" in text and "33.3 %, 66.7 % (standard deviation 23.6 points)" in text


def test_each_try_is_a_record_of_its_own() -> None:
    records = [build_record(record(name), "here") for name in ("x", "y")]
    assert [r.id for r in each_try(records, 3)] == ["Own/x", "Own/y", "Own/x#2", "Own/y#2", "Own/x#3", "Own/y#3"]
    assert each_try(records, 1) == tuple(records)


def test_a_summary_without_results_has_none() -> None:
    assert summarise([])["over_tries"] is None
