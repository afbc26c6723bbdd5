"""Statistics of two runs over the same tasks: an exact test and an interval of the difference. Pure."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import TypedDict

RESAMPLES = 10_000
_FEWEST_RESAMPLES = 1_000
_MOST_DRAWS = 20_000_000
"""Drawn in a few seconds; with more than 2,000 tasks there are fewer resamples."""


class Interval(TypedDict):
    """A mean difference with its 95 % interval."""

    mean: float
    low: float
    high: float
    resamples: int
    seed: int


def exact_p(only_a: int, only_b: int) -> float:
    """Return the two-sided p-value of McNemar's exact test: of the tasks that turned, is each way equally likely?

    It is the binomial test of `only_a` among `only_a + only_b` with probability 1/2 (McNemar, Psychometrika 12 (1947)
    153-157; exact form as in Fay, Biostatistics 11 (2010) 373-374). 1 where no task turned.
    """
    turned = only_a + only_b
    whole, tail, term = 1 << turned, 0, 1
    for number in range(min(only_a, only_b) + 1):
        tail += term
        term = term * (turned - number) // (number + 1)
    # Whole numbers until here: a float would be 0 or infinite for thousands of tasks.
    return min(1.0, 2 * tail / whole)


def bootstrap(differences: Sequence[float], seed: int) -> Interval:
    """Return the mean of the tasks' differences with its percentile interval; there is one difference at least.

    Tasks are drawn with replacement (Efron, Annals of Statistics 7 (1979) 1-26). A task's two results stay together,
    so the interval is a paired one.
    """
    count = len(differences)
    resamples = max(_FEWEST_RESAMPLES, min(RESAMPLES, _MOST_DRAWS // count))
    draw = random.Random(seed)
    means = sorted(math.fsum(draw.choices(differences, k=count)) / count for _ in range(resamples))
    low, high = math.floor(0.025 * resamples), math.ceil(0.975 * resamples) - 1
    return {
        "mean": round(math.fsum(differences) / count, 6),
        "low": round(means[low], 6),
        "high": round(means[high], 6),
        "resamples": resamples,
        "seed": seed,
    }
