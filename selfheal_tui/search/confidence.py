"""How sure the first-ranked repair is, calibrated on the public sets (tests/benchmarks/README.md has the table)."""

from __future__ import annotations

from collections.abc import Sequence


def confidence(scores: Sequence[float], clusters: Sequence[int]) -> float:
    """Return 0..1 for repairs ranked best first: `scores` in bits, `clusters` numbers of their behaviours."""
    if not scores:
        return 0.0
    return round(share_of_first(scores, clusters), 2)


def share_of_first(scores: Sequence[float], clusters: Sequence[int]) -> float:
    """Return the share of the likelihood that the first one's behaviour holds."""
    best: dict[int, float] = {}
    for score, cluster in zip(scores, clusters, strict=True):
        best[cluster] = min(best.get(cluster, score), score)
    weights = {cluster: 2.0 ** (scores[0] - score) for cluster, score in best.items()}
    return float(weights[clusters[0]] / sum(weights.values()))
