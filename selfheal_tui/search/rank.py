"""The order in which judged candidates are shown: what helps most, is likeliest and behaves like most others first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from .behaviour import Behaviour
from .candidates import Candidate

SHOWN = 5
_COST_SHARE = 0.15
"""What a candidate's own bits count beside those of its cluster: fits the prototype's figures."""
_SIZE_SHARE = 0.05
"""For each doubling of the characters that change: decides between equals."""
_CRASH_BITS = 8.0
"""For crashing on every generated input on which the program did not crash before."""
_EXAMPLE_BITS = 4.0
"""For each example of the docstring that it contradicts, two at most: an example may be misread."""
_MOST_CONTRADICTED = 2


def rank_key(candidate: Candidate) -> tuple[bool, int, int, float, int, str]:
    """Return a sort key: complete ones first, then cases gained, then likelier and smaller changes.

    The cost comes before the size because it holds how suspicious the line is and how common the mistake. Among
    equally likely edits the smaller one wins; the text decides last, so the order never depends on timing.
    """
    gained = len(candidate.fixes) - len(candidate.breaks)
    return (
        not candidate.complete,
        -gained,
        len(candidate.breaks),
        candidate.cost,
        candidate.size,
        candidate.changes[candidate.path],
    )


def rank(judged: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return at most five candidates worth showing, best first.

    Where some pass every case only those are shown; otherwise those that fix a case and break none.
    """
    useful = [c for c in judged if c.complete or (c.fixes and not c.breaks)]
    complete = [c for c in useful if c.complete]
    return tuple(sorted(complete or useful, key=rank_key)[:SHOWN])


def scores(candidates: Sequence[Candidate], behaviours: Sequence[Behaviour]) -> list[float]:
    """Return for each complete candidate how unlikely it is to be right, in bits; `behaviours` are in the same order.

    Candidates that behave alike support each other, those at different places the most: each line counts once.
    """
    masses: dict[int, dict[tuple[str, int], float]] = {}
    for candidate, behaviour in zip(candidates, behaviours, strict=True):
        lines = masses.setdefault(behaviour.cluster, {})
        at = (candidate.path, candidate.line)
        lines[at] = max(lines.get(at, 0.0), 2.0 ** -(candidate.cost + _doubt(behaviour)))
    total: Mapping[int, float] = {cluster: sum(lines.values()) for cluster, lines in masses.items()}
    return [
        -math.log2(total[behaviour.cluster])
        + _COST_SHARE * (candidate.cost + 2 * _doubt(behaviour))
        + _SIZE_SHARE * math.log2(1 + candidate.size)
        for candidate, behaviour in zip(candidates, behaviours, strict=True)
    ]


def _doubt(behaviour: Behaviour) -> float:
    return _CRASH_BITS * behaviour.new_crashes + _EXAMPLE_BITS * min(behaviour.contradicted, _MOST_CONTRADICTED)
