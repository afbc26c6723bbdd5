"""Which calls tell the repairs that are shown apart, and what each of them gives. Pure."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations

from .found import Found
from .questions import Disagreement

_LONGEST = 200
"""Characters of a call and of the two answers to it that a person still compares."""
_LONGEST_ANSWER = 160
"""Characters of an answer to the question beside which the repairs are named that give it."""


def telling_answers(found: Found) -> list[dict[str, str]]:
    """Return for each repair shown the answers (call -> repr) to few calls: one for each two that
    disagree, and the question's.
    """
    ranking = found.ranking
    numbers = {tuple(one.changes.items()): number for number, one in enumerate(ranking.candidates)}
    shown = [numbers.get(tuple(one.changes.items())) for one in found.candidates]
    rows = [ranking.behaviours[number].answers if number is not None else () for number in shown]
    calls = dict.fromkeys(_telling(ranking.calls, one, two, ranking.last) for one, two in combinations(rows, 2))
    if found.question is not None and _can_be_named(found.question):
        calls[found.question.call] = None
    asked = [(call, ranking.calls.index(call)) for call in calls if call]
    return [{call: row[at] for call, at in asked if at < len(row)} for row in rows]


def _telling(calls: tuple[str, ...], one: tuple[str, ...], two: tuple[str, ...], last: Collection[str]) -> str:
    """Return the shortest call to which the answers differ; empty when there is none that can be read."""
    sizes = {call: len(call) + len(a) + len(b) for call, a, b in zip(calls, one, two, strict=False) if a != b}
    shortest = min(sizes, key=lambda call: (call in last, sizes[call]), default="")
    return shortest if sizes.get(shortest, 0) <= _LONGEST else ""


def _can_be_named(question: Disagreement) -> bool:
    return max(len(answer.text) for answer in question.answers) <= _LONGEST_ANSWER
