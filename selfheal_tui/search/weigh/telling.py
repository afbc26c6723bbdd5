"""Which calls tell the repairs that are shown apart, and what each of them gives. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

from .found import Found
from .questions import Disagreement

_LONGEST = 200
"""Characters of a call and of the two answers to it that a person still compares."""
_MOST_CHANGED = 2
_LONGEST_ANSWER = 160
"""Characters of an answer to the question beside which the repairs are named that give it."""


def answers_changed(found: Found) -> list[list[list[str]]]:
    """Return for each repair shown [call, answer now, answer with it] of the plainest calls that it changes.

    Two at most, and none of the question's: that one is asked.
    """
    ranking = found.ranking
    asked = {*ranking.of_tests, *([found.question.call] if found.question is not None else [])}

    def changed(row: Sequence[str]) -> list[list[str]]:
        rows = [[*one] for one in zip(ranking.calls, ranking.given, row, strict=False) if one[1] != one[2]]
        plain = [one for one in rows if sum(map(len, one)) <= _LONGEST and one[0] not in asked]
        # What was refused and is answered now says less than what is answered otherwise or no more.
        plain.sort(key=lambda one: (one[0] in ranking.last, one[1].startswith("!"), sum(map(len, one))))
        return plain[:_MOST_CHANGED]

    return [changed(row) for row in _rows_shown(found)]


def telling_answers(found: Found) -> list[dict[str, str]]:
    """Return for each repair shown the answers (call -> repr) to few calls: one for each two that
    disagree, and the question's.
    """
    ranking, rows = found.ranking, _rows_shown(found)
    calls = dict.fromkeys(_telling(ranking.calls, one, two, ranking.last) for one, two in combinations(rows, 2))
    if found.question is not None and _can_be_named(found.question):
        calls[found.question.call] = None
    asked = [(call, ranking.calls.index(call)) for call in calls if call]
    return [{call: row[at] for call, at in asked if at < len(row)} for row in rows]


def _rows_shown(found: Found) -> list[tuple[str, ...]]:
    """Return the answers of each repair shown; none of one that was not asked."""
    ranking = found.ranking
    numbers = {tuple(one.changes.items()): number for number, one in enumerate(ranking.candidates)}
    shown = [numbers.get(tuple(one.changes.items())) for one in found.candidates]
    return [ranking.behaviours[number].answers if number is not None else () for number in shown]


def _telling(calls: tuple[str, ...], one: tuple[str, ...], two: tuple[str, ...], last: Collection[str]) -> str:
    """Return the shortest call to which the answers differ; empty when there is none that can be read."""
    sizes = {call: len(call) + len(a) + len(b) for call, a, b in zip(calls, one, two, strict=False) if a != b}
    shortest = min(sizes, key=lambda call: (call in last, sizes[call]), default="")
    return shortest if sizes.get(shortest, 0) <= _LONGEST else ""


def _can_be_named(question: Disagreement) -> bool:
    return max(len(answer.text) for answer in question.answers) <= _LONGEST_ANSWER
