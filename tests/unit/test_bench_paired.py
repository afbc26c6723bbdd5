"""McNemar's exact test and the paired bootstrap, against values known from elsewhere."""

from __future__ import annotations

import math
import random

import pytest

from selfheal_tui.bench.compare.paired import RESAMPLES, bootstrap, exact_p


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 5, 1.0),
        (0, 6, 0.03125),
        (1, 9, 0.021484375),
        (9, 1, 0.021484375),
        (2, 8, 0.109375),
        # scipy.stats.binomtest(6, 22).pvalue and so on, SciPy 1.17.1
        (6, 16, 0.052478790283203125),
        (59, 16, 6.114156572521501e-07),
        (86, 150, 3.7159361395713866e-05),
    ],
)
def test_exact_test_against_known_values(only_a: int, only_b: int, p: float) -> None:
    assert exact_p(only_a, only_b) == pytest.approx(p, rel=1e-9)


def test_exact_test_holds_for_any_number_of_tasks() -> None:
    """Against the sum of all outcomes that are no likelier; and where 2**n is beyond a float."""
    for turned in range(1, 30):
        for only_a in range(turned + 1):
            chances = [math.comb(turned, k) for k in range(turned + 1)]
            rare = sum(chance for chance in chances if chance <= chances[only_a])
            assert exact_p(only_a, turned - only_a) == pytest.approx(rare / 2**turned)
    assert 0.0 < exact_p(4_900, 5_100) < 0.05 and exact_p(0, 5_000) == 0.0


def test_interval_is_the_same_for_the_same_seed() -> None:
    differences = [1.0] * 12 + [-1.0] * 3 + [0.0] * 45
    assert bootstrap(differences, 7) == bootstrap(differences, 7)
    one = bootstrap(differences, 7)
    assert one["mean"] == 0.15 and one["resamples"] == RESAMPLES
    # scipy.stats.bootstrap((differences,), mean, method="percentile", n_resamples=100_000), SciPy 1.17.1
    assert (one["low"], one["high"]) == pytest.approx((0.0333, 0.2667), abs=0.02)


def test_interval_is_that_of_the_normal_law_where_there_are_many_tasks() -> None:
    draw = random.Random(1)
    differences = [float(draw.choice([-1, 0, 0, 1, 1])) for _ in range(150)]
    mean = sum(differences) / 150
    half = 1.96 * math.sqrt(sum((d - mean) ** 2 for d in differences) / 150 / 150)
    interval = bootstrap(differences, 0)
    assert interval["low"] == pytest.approx(mean - half, abs=0.01)
    assert interval["high"] == pytest.approx(mean + half, abs=0.01)


def test_tasks_that_are_all_alike_leave_no_width() -> None:
    assert bootstrap([0.0, 0.0], 0) | {"resamples": 0} == {
        "mean": 0.0,
        "low": 0.0,
        "high": 0.0,
        "resamples": 0,
        "seed": 0,
    }
