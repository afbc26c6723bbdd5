"""The order in which judged candidates are shown: what helps most and changes least comes first."""

from __future__ import annotations

from collections.abc import Iterable

from .candidates import Candidate

SHOWN = 5


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
