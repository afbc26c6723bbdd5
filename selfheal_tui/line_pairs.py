"""Which removed line became which added one: lines of a changed block paired by how alike they are. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

_PAIRED = 0.5
"""Two lines at least this similar are one changed line; below it, one removed and one added."""
_ALIGN_LIMIT = 900
"""Largest block (removed x added lines) that is aligned by similarity; larger ones pair in order."""


def paired_lines(
    before: Sequence[str], after: Sequence[str], gone: range, come: range
) -> list[tuple[int | None, int | None]]:
    """Pair removed lines (their numbers in `before`) with added ones in order, so that the sum of their similarities is
    largest; None for a line that has no partner."""
    if len(gone) * len(come) > _ALIGN_LIMIT:
        longest = max(len(gone), len(come))
        return [(gone[n] if n < len(gone) else None, come[n] if n < len(come) else None) for n in range(longest)]
    like = [[_similarity(before[i], after[j]) for j in come] for i in gone]
    best = [[0.0] * (len(come) + 1) for _ in range(len(gone) + 1)]
    for a in range(len(gone) - 1, -1, -1):
        for b in range(len(come) - 1, -1, -1):
            both = like[a][b] + best[a + 1][b + 1] if like[a][b] >= _PAIRED else 0.0
            best[a][b] = max(both, best[a + 1][b], best[a][b + 1])
    pairs: list[tuple[int | None, int | None]] = []
    a = b = 0
    while a < len(gone) and b < len(come):
        if like[a][b] >= _PAIRED and best[a][b] == like[a][b] + best[a + 1][b + 1]:
            pairs.append((gone[a], come[b]))
            a, b = a + 1, b + 1
        elif best[a][b] == best[a + 1][b]:
            pairs.append((gone[a], None))
            a += 1
        else:
            pairs.append((None, come[b]))
            b += 1
    pairs += [(i, None) for i in gone[a:]]
    pairs += [(None, j) for j in come[b:]]
    return pairs


def _similarity(left: str, right: str) -> float:
    left, right = left.strip(), right.strip()
    if not left or not right:
        return 0.0
    matcher = SequenceMatcher(None, left[:200], right[:200], autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _PAIRED else 0.0
