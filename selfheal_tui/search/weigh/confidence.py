"""How sure the first-ranked repair is: how often one like it passed tests that the search had not seen.

A logistic fit over 482 searches whose first-ranked repair passes all visible tests of a wrong program that a model
wrote; programs with planted bugs were left out, for which it is too careful. Checked by sixfold cross-validation over
the tasks and on the planted bugs; the table is in tests/benchmarks/README.md. What it breaks (`relations`) was weighed
apart, on one half of the tasks of 293 searches and checked on the other.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

_ALWAYS, _BY_SHARE, _BY_BIT, _BY_CASES = 0.375, 1.13, -0.16, 0.49
_BY_POOL, _BY_SURPRISE, _IF_INVENTED, _BY_BREACH = -0.38, 0.021, -1.66, -1.7
_BY_IMPORT = -0.5
"""What failed for a name that is not imported never ran on: that it passes is its first trial, and no second mistake
was ever in the way. Of 14 such repairs of model-written programs 10 were right, and said to be 79 % sure before."""
_MOST_BITS = 15.0
_LEAST = 0.01
"""0 is for what nobody can say."""
_MOST_CASES = 15
"""The sets have few cases a program: what many more are worth is not known."""
_MOST_POOL = 31
_LEAST_SURPRISE, _MOST_SURPRISE = -40.0, 60.0
_INVENTED = frozenset({"number", "constant", "term", "replace_by_example", "synthesis", "special_case", "only_if"})
"""Families that bring a value of which neither the program nor its text says anything; the angelic ones do too."""
_INVENTS = frozenset({"number", "special", "single"})
"""Marks that say so of an edit of another family: `amount % 7 != 0` in a condition."""
_MEANS_LESS = frozenset(
    (
        *("narrows", "silences", "lets_in", "skips", "overwrites", "equality", "acts", "mutates", "crashes"),
        *("left_over", "other_end", "readings"),
    )
)
"""Marks of edits that do away with something meant; in the sets of the fit hardly a right one has any."""


def confidence(
    scores: Sequence[float],
    clusters: Sequence[int],
    cases: int,
    mistakes: int = 1,
    *,
    breaks: bool = False,
    surprise: float = 0.0,
    operator: str = "",
    marks: Collection[str] = (),
) -> float:
    """Return 0..1 for repairs ranked best first: `scores` in bits, `clusters` numbers of their behaviours.

    `cases` is how many run what is edited: in the sets of the fit nearly all did. `mistakes` is how many independent
    ones the first repair mends: its bits are shared, and it is right only where the edit of each is.
    `breaks`: it breaks what held of every result before, which counts against one of its edits, as some marks do.
    `surprise` in bits is that of its lines beside those they replace, `operator` the families that its edits come from,
    `marks` the kinds of its marks: both may say of an edit that it brings a value of which nothing says anything.
    """
    if not scores:
        return 0.0
    bits = _ALWAYS + _BY_SHARE * share_of_first(scores, clusters) + _BY_BIT * min(scores[0] / mistakes, _MOST_BITS)
    bits += _BY_CASES * math.log2(1 + min(cases, _MOST_CASES)) + _BY_POOL * math.log2(1 + min(len(scores), _MOST_POOL))
    bits += _BY_SURPRISE * max(_LEAST_SURPRISE, min(surprise / mistakes, _MOST_SURPRISE))
    families = operator.split(" + ")
    bits += _BY_IMPORT * ("import" in families)
    invent = sum(one in _INVENTED or one.startswith("angelic") for one in families)
    invent = min(mistakes, max(invent, not _INVENTS.isdisjoint(marks)))
    breaks = breaks or not _MEANS_LESS.isdisjoint(marks)
    against = [_IF_INVENTED * (number < invent) + _BY_BREACH * (breaks and not number) for number in range(mistakes)]
    return max(_LEAST, round(math.prod(1.0 / (1.0 + math.exp(-bits - one)) for one in against), 2))


def share_of_first(scores: Sequence[float], clusters: Sequence[int]) -> float:
    """Return the share of the likelihood that the first one's behaviour holds."""
    best: dict[int, float] = {}
    for score, cluster in zip(scores, clusters, strict=True):
        best[cluster] = min(best.get(cluster, score), score)
    weights = {cluster: 2.0 ** (scores[0] - score) for cluster, score in best.items()}
    return float(weights[clusters[0]] / sum(weights.values()))
