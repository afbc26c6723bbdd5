"""How sure the first-ranked repair is: how often one like it passed tests that the search had not seen.

A logistic fit over 383 searches of the public sets (84 programs with planted bugs, 299 wrong programs of models,
visible tests only), checked by sixfold cross-validation over the tasks; the table is in tests/benchmarks/README.md.
What it breaks (`relations`) was weighed afterwards, on one half of the tasks of 293 searches and checked on the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

_ALWAYS, _BY_SHARE, _BY_BIT, _BY_CASES = -1.68, 2.1, -0.18, 0.62
_BY_BREACH = -1.7
_MOST_BITS = 15.0
_MOST_CASES = 15
"""The sets have few cases a program: what many more are worth is not known."""


def confidence(
    scores: Sequence[float], clusters: Sequence[int], cases: int, mistakes: int = 1, breaks: bool = False
) -> float:
    """Return 0..1 for repairs ranked best first: `scores` in bits, `clusters` numbers of their behaviours.

    `cases` is how many the suite has, `mistakes` how many independent ones the first repair mends: its bits are shared.
    `breaks`: it breaks what held of every result before.
    """
    if not scores:
        return 0.0
    bits = _ALWAYS + _BY_SHARE * share_of_first(scores, clusters) + _BY_BIT * min(scores[0] / mistakes, _MOST_BITS)
    bits += _BY_CASES * math.log2(1 + min(cases, _MOST_CASES)) + _BY_BREACH * breaks
    return round(1.0 / (1.0 + math.exp(-bits)), 2)


def share_of_first(scores: Sequence[float], clusters: Sequence[int]) -> float:
    """Return the share of the likelihood that the first one's behaviour holds."""
    best: dict[int, float] = {}
    for score, cluster in zip(scores, clusters, strict=True):
        best[cluster] = min(best.get(cluster, score), score)
    weights = {cluster: 2.0 ** (scores[0] - score) for cluster, score in best.items()}
    return float(weights[clusters[0]] / sum(weights.values()))
