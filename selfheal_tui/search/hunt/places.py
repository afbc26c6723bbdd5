"""Mutation-based fault localisation: which places, when edited, make failing cases pass, and what breaks by it.

A place scores as its best edit does, by Ochiai over the cases that the edit turns: `m / sqrt(F * (m + b))`, where m of
F failing cases pass with it and b passing ones break. Metallaxis (Papadakis, Le Traon: "Metallaxis-FL: Mutation-based
Fault Localization", STVR 2015) counts every case whose outcome changes; that failing cases must pass is from MUSE
(Moon, Kim, Kim, Yoo: "Ask the Mutants: Mutating Faulty Programs for Fault Localization", ICST 2014).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from .candidates import Candidate

_MOST_OTHERS = 2
At = tuple[str, int]
"""Program path and 1-based line."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line, and what edits there do to the cases."""

    path: str
    line: int
    """1-based; of two edits together the line of the first."""
    best: Candidate
    """The edit that does most, with what it fixes and breaks."""
    alike: int
    """How many edits here do as much as the best, which is counted."""
    tried: int
    """How many edits were tried here, as far as known."""
    score: float
    """0..1; 1 where every failing case passes and none breaks."""
    others: tuple[Candidate, ...] = ()
    """The first few of those that do as much as the best."""


class Tally:
    """What single edits did to the cases, place by place; also of those that the search does not keep."""

    def __init__(self, failing: int) -> None:
        """`failing` is how many cases fail without an edit."""
        self._failing = failing
        self._tried: Counter[At] = Counter()
        self._helpful: dict[At, list[Candidate]] = {}

    @property
    def tried(self) -> int:
        """How many single edits were tried."""
        return self._tried.total()

    def note_tried(self, candidates: Iterable[Candidate]) -> None:
        """Count candidates that were judged."""
        self._tried.update(at_of(candidate) for candidate in candidates if not candidate.before)

    def note_helpful(self, candidates: Iterable[Candidate]) -> None:
        """Keep those that pass a failing case, as a batch told it."""
        for candidate in candidates:
            if candidate.fixes and not candidate.before:
                self._helpful.setdefault(at_of(candidate), []).append(candidate)

    def score(self, candidate: Candidate) -> float:
        """Return how much an edit speaks for its place."""
        return ochiai(len(candidate.fixes), len(candidate.breaks), self._failing)

    def helpful(self) -> list[Place]:
        """Return the places at which an edit helps, the most telling first."""
        places = [self._place(candidates) for candidates in self._helpful.values()]
        return sorted(places, key=lambda p: (-p.score, p.best.cost, p.path, p.line))

    def places(self, proven: Sequence[Candidate], most: int) -> tuple[Place, ...]:
        """Return places: those of `proven` in their order, then others where an edit helps, as a batch told it.

        `proven` were each judged in a process of its own. Where one of them passes every case, only such places count.
        """
        groups: dict[At, list[Candidate]] = {}
        for candidate in proven:
            groups.setdefault(at_of(candidate), []).append(candidate)
        own = [self._place(group) for group in groups.values()]
        whole = [place for place in own if place.best.complete]
        if whole:
            return tuple(whole[:most])
        return tuple([*own, *(place for place in self.helpful() if (place.path, place.line) not in groups)][:most])

    def _place(self, candidates: Sequence[Candidate]) -> Place:
        best = min(candidates, key=lambda c: (not c.complete, -self.score(c), not c.complete and bool(c.marks)))
        alike = [c for c in candidates if set(c.fixes) == set(best.fixes) and len(c.breaks) <= len(best.breaks)]
        others = tuple([c for c in alike if c is not best][:_MOST_OTHERS])
        path, line = at_of(best)
        return Place(path, line, best, len(alike), self._tried[path, line], round(self.score(best), 4), others)


def is_at(candidate: Candidate, places: Collection[At]) -> bool:
    """Tell whether one of a candidate's edits is at one of these places."""
    return any(at in places for at in (*candidate.before, (candidate.path, candidate.line)))


def ochiai(mended: int, broken: int, failing: int) -> float:
    """Return 0..1 for an edit that makes `mended` of `failing` cases pass and breaks `broken` others."""
    return mended / math.sqrt(failing * (mended + broken)) if mended else 0.0


def at_of(candidate: Candidate) -> At:
    """Return the place of a candidate; of several edits that of the first, whose line is one of the program's own."""
    return candidate.before[0] if candidate.before else (candidate.path, candidate.line)
