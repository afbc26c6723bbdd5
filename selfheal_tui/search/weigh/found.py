"""What a search found: ranked repairs, how sure the first is, and the question that would tell most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..hunt.candidates import Candidate
from ..hunt.places import Place
from ..hunt.tried import CutShort
from ..program.mark import Mark
from .asked import functions_of_calls
from .behaviour import Behaviour
from .confidence import confidence
from .equal_values import are_equal
from .marks import behaviour_marks
from .questions import Disagreement, best_question
from .raising import marked_raising, ordinary_crash, ordinary_crash_bits, without_meant
from .rank import SHOWN, scores
from .same_form import is_same_form
from .sequences import is_sequence
from .signs import Signs
from .untold import TIE_BITS, contested, joined_mark, tied, unasked_tie, unseen_mark, untold_mark

_LOOKED_AT = 2 * SHOWN
"""Repairs of which none is another in another form."""
_WITH_A_QUESTION = 0.75
"""The most that the search is sure of while repairs that pass every case disagree: it is a doubt at the end then."""
_UNSURE, _NEARLY = 0.5, 0.6
"""Confidence below which a repair of an object is contested by rivals at other lines, and by those that are near."""
NEAR_BITS = 2.0
"""A rival that is less likely by no more than this is as good a guess where little is known: of a part, where nobody
can say how sure the search is, and of an object, where few cases look at what it becomes."""


@dataclass(frozen=True, slots=True)
class Ranking:
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
    last: frozenset[str] = frozenset()
    """Calls that a person is asked only where no other parts the repairs."""
    signs: tuple[Signs, ...] = ()
    """What their texts and runs say; what led to the scores, beside the behaviours."""
    of_tests: frozenset[str] = frozenset()
    """Calls that a test makes too, in a few more steps."""
    given: tuple[str, ...] = ()
    """What the program as it is answers to the calls; empty where it could not be asked."""
    in_words: Mapping[tuple[tuple[str, str], ...], tuple[str, ...]] = field(default_factory=dict)
    """`Candidate.texts` -> its answers as they came, of no texts those of the program: equal ones are one text in the
    others (`True` and `1`)."""

    def with_ties(self, near: float = TIE_BITS) -> Ranking:
        """Return it with marks where a rival does something else on a call that a person might make (`untold.tied`), or
        where no call could be asked that could tell a rival from the first (`untold.unasked_tie`).
        """
        if not any(behaviour.answers for behaviour in self.behaviours):
            return replace(self, candidates=unasked_tie(self.candidates, self.scores, near))
        likely = [at for at, call in enumerate(self.calls) if call not in self.last]
        return replace(self, candidates=tied(self.candidates, self.behaviours, self.scores, likely, near))


class Asked(NamedTuple):
    """What one repair was asked that is not ranked with the others, as it mends other cases."""

    calls: tuple[str, ...]
    given: tuple[str, ...]
    """What the program as it is answers."""
    answers: tuple[str, ...]
    of_tests: frozenset[str]
    """As of `Ranking`."""


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search."""

    candidates: tuple[Candidate, ...]
    """Ranked, best first, at most five."""
    judged: int
    tried_all: bool
    """No single edit is left to try, whatever the budget."""
    question: Disagreement | None = None
    """Where repairs that pass every case disagree: the call that parts them best."""
    confidence: float = 0.0
    """0..1: how often a first-ranked repair of this kind passed tests that the search did not see."""
    clusters: int = 0
    """How many different behaviours the repairs that pass every case have; 0 where none could be asked anything."""
    ranking: Ranking = field(default_factory=Ranking, repr=False)
    beside: Mapping[tuple[tuple[str, str], ...], Asked] = field(default_factory=dict, repr=False)
    """`Candidate.texts` of repairs shown that are not in the ranking -> what they were asked."""
    places: tuple[Place, ...] = ()
    """Where edits make failing cases pass, the most telling first."""
    left_out: int = 0
    """Edits that were not tried because they are where the search may not edit."""
    singles: int = 0
    """Of those judged: single edits of the program; the others combine several."""
    cut_short: CutShort = ""
    """What ended the search before it had tried all that it would."""

    def questions(self, most: int) -> list[Disagreement]:
        """Return the question, then what would tell most if it cannot be answered, and so on, at most so many."""
        questions = [self.question] if self.question is not None else []
        rows = [behaviour.answers for behaviour in self.ranking.behaviours]
        while questions and len(questions) < most:
            asked = [*(call for call, _ in self.ranking.answered), *(one.call for one in questions)]
            other = best_question(self.ranking.calls, rows, self.ranking.scores, asked, self.ranking.last)
            if other is None:
                break
            questions.append(other)
        return questions

    def answer(self, text: str) -> Found:
        """Return the repairs that give `text`, a repr, to the question's call; maybe none.

        Raises: ValueError when there is no question.
        """
        if self.question is None:
            raise ValueError("nothing was asked")
        at = self.ranking.calls.index(self.question.call)
        ranking = self.ranking
        agreeing = [
            number
            for number, behaviour in enumerate(ranking.behaviours)
            if at < len(behaviour.answers) and are_equal(behaviour.answers[at], text)
        ]
        rest = Ranking(
            tuple(ranking.candidates[number] for number in agreeing),
            tuple(ranking.behaviours[number] for number in agreeing),
            tuple(ranking.scores[number] for number in agreeing),
            ranking.calls,
            (*ranking.answered, (self.question.call, text)),
            ranking.cases,
            ranking.last,
            tuple(ranking.signs[number] for number in agreeing),
            ranking.of_tests,
            ranking.given,
            ranking.in_words,
        )
        return found_from(rest, self.judged, self.tried_all)


def build_ranking(
    candidates: Sequence[Candidate],
    behaviours: Sequence[Behaviour],
    calls: Sequence[str],
    signs: Sequence[Signs] | None = None,
    cases: int = 1,
    last: frozenset[str] = frozenset(),
    given: Sequence[str] = (),
) -> Ranking:
    """Return the repairs in order of their scores; the last five are as in `Ranking`."""
    behaviours = [without_meant(one, behaviour) for one, behaviour in zip(candidates, behaviours, strict=True)]
    crashes = ordinary_crash_bits(candidates, behaviours, calls)
    bits = [score + more for score, more in zip(scores(candidates, behaviours, signs), crashes, strict=True)]
    order = sorted(
        range(len(candidates)), key=lambda n: (bits[n], candidates[n].cost, candidates[n].size, candidates[n].summary)
    )
    functions = functions_of_calls(calls)
    all_signs = signs or [Signs()] * len(candidates)
    marked = [
        _with_marks(
            one,
            [
                *sign.marks,
                *joined_mark(one),
                *behaviour_marks(behaviour, sign, functions),
                *ordinary_crash(one, behaviour, calls, given),
            ],
        )
        for one, behaviour, sign in zip(candidates, behaviours, all_signs, strict=True)
    ]
    untold = [untold_mark(n, marked, behaviours, bits) for n in range(len(marked))]
    marked = [replace(one, marks=(*one.marks, *mark)) for one, mark in zip(marked, untold, strict=True)]
    marked = [_with_marks(one, unseen_mark(one, own)) for one, own in zip(marked, behaviours, strict=True)]
    return Ranking(
        tuple(marked[n] for n in order),
        tuple(behaviours[n] for n in order),
        tuple(bits[n] for n in order),
        tuple(calls),
        cases=cases,
        last=last,
        signs=tuple(all_signs[n] for n in order),
        given=tuple(given),
    )


def _with_marks(candidate: Candidate, marks: Sequence[Mark]) -> Candidate:
    """Return a candidate that bears these marks too, each kind once."""
    kinds = {mark.kind for mark in candidate.marks}
    return replace(candidate, marks=(*candidate.marks, *(mark for mark in marks if mark.kind not in kinds)))


def with_question(ranking: Ranking) -> tuple[Ranking, Disagreement | None]:
    """Return the question that parts repairs best, and the repairs marked that raise where others answer it."""
    rows = [behaviour.answers for behaviour in ranking.behaviours]
    answered = [call for call, _ in ranking.answered]
    question = best_question(ranking.calls, rows, ranking.scores, answered, ranking.last)
    if question is None:
        return ranking, None
    at = ranking.calls.index(question.call)
    marked = marked_raising(ranking.candidates, ranking.behaviours, ranking.scores, question, at)
    return replace(ranking, candidates=marked), question


def found_of_parts(candidates: Sequence[Candidate], ranking: Ranking, judged: int, tried_all: bool) -> Found:
    """Return the result of a search that found only repairs that mend a part: the `candidates` to show, best first.

    `ranking` is of those that mend the same cases as the first. How sure the search is of it nobody has measured.
    """
    _, question = with_question(ranking)
    return Found(tuple(candidates), judged, tried_all, question, ranking=ranking)


def found_from(ranking: Ranking, judged: int, tried_all: bool) -> Found:
    """Return the result of a search: the repairs to show, the question and the confidence, from the ranked ones."""
    ranking, question = with_question(ranking)
    first = ranking.candidates[0] if ranking.candidates else None
    asked = any(behaviour.answers for behaviour in ranking.behaviours)
    sure = confidence(
        ranking.scores,
        [behaviour.cluster if asked else number for number, behaviour in enumerate(ranking.behaviours)],
        _tested(ranking) + len(ranking.answered),
        first.parts if first else 1,
        breaks=first is not None and any(mark.kind == "breaks" for mark in first.marks),
        surprise=ranking.signs[0].surprise if ranking.signs else 0.0,
        operator=first.operator if first else "",
        marks=[mark.kind for mark in first.marks] if first else (),
    )
    if question is not None:
        sure = min(sure, _WITH_A_QUESTION)
    is_of_object = question is not None and is_sequence(question.call)
    looked_at = ranking.with_ties(NEAR_BITS) if is_of_object and sure < _NEARLY else ranking.with_ties()
    if question is not None and is_of_object and sure < _UNSURE:
        looked_at = replace(ranking, candidates=contested(looked_at.candidates, ranking.behaviours, question.call))
    return Found(
        differing_first(looked_at)[:SHOWN],
        judged,
        tried_all,
        question,
        sure,
        len({behaviour.cluster for behaviour in ranking.behaviours if behaviour.answers}),
        ranking,
    )


def _tested(ranking: Ranking) -> int:
    """Return how many cases say something of the first repair."""
    return (ranking.signs[0].tested if ranking.signs else 0) or ranking.cases


def differing_first(ranking: Ranking) -> tuple[Candidate, ...]:
    """Return the repairs as they are shown: the best, those of other behaviours, those of other places, the rest.

    Of those that differ by their form alone the first is shown.
    """
    chosen: dict[int, None] = {}
    clusters: set[int] = set()
    places: set[tuple[str, int]] = set()
    for number, behaviour in enumerate(ranking.behaviours):
        if behaviour.cluster not in clusters:
            clusters.add(behaviour.cluster)
            chosen[number] = None
    for number, candidate in enumerate(ranking.candidates):
        if number in chosen:
            places.add((candidate.path, candidate.line))
    for number, candidate in enumerate(ranking.candidates):
        if (place := (candidate.path, candidate.line)) not in places:
            places.add(place)
            chosen[number] = None
    chosen |= dict.fromkeys(range(len(ranking.candidates)))
    shown: list[int] = []
    for number in chosen:
        if len(shown) >= _LOOKED_AT or not any(_is_form_of(ranking, number, other) for other in shown):
            shown.append(number)
    return tuple(ranking.candidates[number] for number in shown)


def _is_form_of(ranking: Ranking, number: int, other: int) -> bool:
    rows = ranking.candidates, ranking.behaviours
    return is_same_form(rows[0][number], rows[0][other], rows[1][number], rows[1][other])


def with_reasons(found: Found) -> Found:
    """Add to the first candidate's reasons in how many different ways the repairs pass, where there are several."""
    if found.clusters < 2 or not found.candidates:
        return found
    first = found.candidates[0]
    reason = f"{len(found.ranking.candidates)} repairs pass every case, in {found.clusters} different ways"
    return replace(found, candidates=(replace(first, reasons=(*first.reasons, reason)), *found.candidates[1:]))
