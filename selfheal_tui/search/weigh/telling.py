"""Which calls tell the repairs that are shown apart, and what each of them gives. Pure."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations

from .asked import functions_of_calls
from .equal_values import are_equal
from .found import Asked, Found
from .questions import Disagreement

_LONGEST = 200
"""Characters of a call and of the two answers to it that a person still compares."""
_MOST_CHANGED = 2
_NOTHING = Asked((), (), (), frozenset())
_LONGEST_ANSWER = 160
"""Characters of an answer to the question beside which the repairs are named that give it."""


def answers_changed(found: Found, settled: Collection[str] = ()) -> list[list[list[str]]]:
    """Return for each repair shown [call, answer now, answer with it] of the plainest calls that it changes.

    Two at most, of two functions where there are such, and none of the question's: that one is asked. Nor any of those
    that are `settled`: a person has said what they give.
    """
    asked = {*settled, *([found.question.call] if found.question is not None else [])}
    in_words = found.ranking.in_words

    def changed(one: Asked, own: tuple[str, ...]) -> list[list[str]]:
        given, gives = (in_words.get((), ()), own) if own else (one.given, one.answers)
        rows = [[*row] for row in zip(one.calls, given, gives, strict=False) if not are_equal(row[1], row[2])]
        known = one.of_tests | asked
        plain = [row for row in rows if sum(map(len, row)) <= _LONGEST and row[0] not in known]
        # What was refused and is answered now says less than what is answered otherwise or no more.
        plain.sort(key=lambda row: (row[0] in found.ranking.last, row[1].startswith("!"), sum(map(len, row))))
        of_other = [row for row in plain if functions_of_calls([row[0]]) != functions_of_calls([plain[0][0]])]
        return [*plain[:1], *of_other, *plain[1:]][:_MOST_CHANGED]

    words = (in_words.get(candidate.texts, ()) for candidate in found.candidates)
    return [changed(one, own) for one, own in zip(_asked(found), words, strict=True)]


def telling_answers(found: Found) -> list[dict[str, str]]:
    """Return for each repair shown the answers (call -> repr) to few calls: one for each two that
    disagree, and the question's.
    """
    ranking, shown = found.ranking, _asked(found)
    rows = [one.answers for one in shown if one.calls == ranking.calls]
    calls = dict.fromkeys(_telling(ranking.calls, one, two, ranking.last) for one, two in combinations(rows, 2))
    if found.question is not None and _can_be_named(found.question):
        calls[found.question.call] = None
    answers = [dict(zip(one.calls, one.answers, strict=False)) for one in shown]
    return [{call: own[call] for call in calls if call and call in own} for own in answers]


def _asked(found: Found) -> list[Asked]:
    """Return what each repair shown was asked: with the others of the ranking, alone, or nothing."""
    ranking = found.ranking
    ranked = {
        one.texts: behaviour.answers for one, behaviour in zip(ranking.candidates, ranking.behaviours, strict=True)
    }
    return [
        Asked(ranking.calls, ranking.given, ranked[one.texts], ranking.of_tests)
        if one.texts in ranked
        else found.beside.get(one.texts, _NOTHING)
        for one in found.candidates
    ]


def _telling(calls: tuple[str, ...], one: tuple[str, ...], two: tuple[str, ...], last: Collection[str]) -> str:
    """Return the shortest call to which the answers differ; empty when there is none that can be read."""
    sizes = {call: len(call) + len(a) + len(b) for call, a, b in zip(calls, one, two, strict=False) if a != b}
    shortest = min(sizes, key=lambda call: (call in last, sizes[call]), default="")
    return shortest if sizes.get(shortest, 0) <= _LONGEST else ""


def _can_be_named(question: Disagreement) -> bool:
    return max(len(answer.text) for answer in question.answers) <= _LONGEST_ANSWER
