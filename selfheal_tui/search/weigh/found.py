"""What a search found: ranked repairs, how sure the first is, and the question that would tell most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..hunt.candidates import Candidate
from .behaviour import Behaviour
from .confidence import confidence
from .questions import Question, best_question
from .rank import SHOWN, scores
from .signs import Signs


@dataclass(frozen=True, slots=True)
class Pool:
    """Every repair that passes every case, best first, with what is known of each."""

    candidates: tuple[Candidate, ...] = ()
    behaviours: tuple[Behaviour, ...] = ()
    scores: tuple[float, ...] = ()
    """Bits: how unlikely each is to be right."""
    calls: tuple[str, ...] = ()
    """What they were asked."""
    answered: tuple[tuple[str, str], ...] = ()
    """(call, right answer) that a person gave."""
    cases: int = 1
    """Cases of the suite that all of them pass."""


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search."""

    candidates: tuple[Candidate, ...]
    """Ranked, best first, at most five."""
    judged: int
    tried_all: bool
    """Nothing is left to try, whatever the budget."""
    question: Question | None = None
    """Where repairs that pass every case disagree: the call that parts them best."""
    confidence: float = 0.0
    """0..1: how often a first-ranked repair of this kind passed tests that the search did not see."""
    clusters: int = 0
    """How many different behaviours the repairs that pass every case have."""
    pool: Pool = field(default_factory=Pool, repr=False)

    def answer(self, text: str) -> Found:
        """Return what is left when `text`, a repr, is the right answer to the question; maybe nothing.

        Raises: ValueError when there is no question.
        """
        if self.question is None:
            raise ValueError("nothing was asked")
        at = self.pool.calls.index(self.question.call)
        pool = self.pool
        agreeing = [
            number
            for number, behaviour in enumerate(pool.behaviours)
            if at < len(behaviour.answers) and same_value(behaviour.answers[at], text)
        ]
        rest = Pool(
            tuple(pool.candidates[number] for number in agreeing),
            tuple(pool.behaviours[number] for number in agreeing),
            tuple(pool.scores[number] for number in agreeing),
            pool.calls,
            (*pool.answered, (self.question.call, text)),
            pool.cases,
        )
        return from_pool(rest, self.judged, self.tried_all)


def build_pool(
    candidates: Sequence[Candidate],
    behaviours: Sequence[Behaviour],
    calls: Sequence[str],
    signs: Sequence[Signs] | None = None,
    cases: int = 1,
) -> Pool:
    """Return the repairs in order of their scores."""
    bits = scores(candidates, behaviours, signs)
    order = sorted(
        range(len(candidates)), key=lambda n: (bits[n], candidates[n].cost, candidates[n].size, candidates[n].summary)
    )
    return Pool(
        tuple(candidates[n] for n in order),
        tuple(behaviours[n] for n in order),
        tuple(bits[n] for n in order),
        tuple(calls),
        cases=cases,
    )


def from_pool(pool: Pool, judged: int, tried_all: bool) -> Found:
    """Return the result that a pool stands for."""
    rows = [behaviour.answers for behaviour in pool.behaviours]
    answered = [call for call, _ in pool.answered]
    return Found(
        shown(pool),
        judged,
        tried_all,
        best_question(pool.calls, rows, pool.scores, answered),
        confidence(pool.scores, [behaviour.cluster for behaviour in pool.behaviours], pool.cases + len(pool.answered)),
        len({behaviour.cluster for behaviour in pool.behaviours}),
        pool,
    )


def shown(pool: Pool) -> tuple[Candidate, ...]:
    """Return the few to look at: the best, then the best of each other behaviour, then the rest."""
    first: list[int] = []
    clusters: set[int] = set()
    for number, behaviour in enumerate(pool.behaviours):
        if behaviour.cluster not in clusters:
            clusters.add(behaviour.cluster)
            first.append(number)
    rest = [number for number in range(len(pool.candidates)) if number not in first]
    return tuple(pool.candidates[number] for number in (*first, *rest)[:SHOWN])


def same_value(one: str, other: str) -> bool:
    """Tell whether two answers are the same as far as their text shows."""
    return one == other or "".join(one.split()) == "".join(other.split())


def with_reasons(found: Found) -> Found:
    """Return it with the number of behaviours said in the first candidate's reasons, where there are several."""
    if found.clusters < 2 or not found.candidates:
        return found
    first = found.candidates[0]
    reason = f"{len(found.pool.candidates)} repairs pass every case, in {found.clusters} different ways"
    return replace(found, candidates=(replace(first, reasons=(*first.reasons, reason)), *found.candidates[1:]))
