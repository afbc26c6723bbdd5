"""Questions: where repairs that pass every case disagree, the call that parts them best, and what an answer leaves."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from selfheal_tui.python_values import is_value

_LEAST_SHARE = 0.005
"""Of the likelihood that another answer must have to be worth a question."""
_LENGTH_BITS = 0.004
"""For each character of a call: short ones are easier to answer."""
_ANSWER_BITS = 0.004
"""For each character of its two likeliest answers: small values are easier to judge."""
_EVEN_BITS = 0.2
"""For each bit by which it parts the repairs were all equally likely: any answer then leaves few."""
_PLACE_BITS = 0.005
"""For each call before it in the list, where those stand first that look like the cases' own."""


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """What some of the repairs answer."""

    text: str
    """A repr; `!Name` for an exception of that type, `!` for no answer in time."""
    candidates: tuple[int, ...]
    """Positions of the repairs that answer so, best first."""
    share: float
    """0..1: how likely the search holds it, by the ranks of these repairs."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A call on which repairs disagree: which answer is right?"""

    call: str
    """As a test would write it."""
    answers: tuple[AnswerGroup, ...]
    """Likeliest first; at least two."""

    def as_assertion(self, answer: str) -> str:
        """Return a test line that holds the answer, a repr. Raises: ValueError for one that is no value."""
        if answer.startswith("!"):
            raise ValueError("an exception cannot be written as one comparison")
        return f"assert {self.call} == {answer}"


def is_answer(text: str) -> bool:
    """Tell whether a person could give this answer: a value that is written out, or `!Name` for an exception."""
    if text.startswith("!"):
        return text[1:].isidentifier()
    return is_value(text)


def best_question(
    calls: Sequence[str],
    rows: Sequence[Sequence[str]],
    scores: Sequence[float],
    answered: Sequence[str] = (),
    last: Collection[str] = (),
) -> Disagreement | None:
    """Return the call whose answers tell most, in bits (Shannon's entropy over the repairs' likelihoods).

    The earlier a call stands in `calls`, the easier it is for a person. `rows` are the answers of each repair, `scores`
    its unlikelihood in bits. Calls in `last` are asked only where no other parts them. None when they agree, or nearly.
    """
    if last and (question := best_question(calls, rows, scores, [*answered, *last])):
        return question
    if len(rows) < 2:
        return None
    least = min(scores)
    weights = [2.0 ** (least - score) for score in scores]
    total = sum(weights)
    best: tuple[float, Disagreement] | None = None
    for at, call in enumerate(calls):
        if call in answered:
            continue
        groups: dict[str, list[int]] = defaultdict(list)
        for number, row in enumerate(rows):
            if at < len(row):
                groups[row[at]].append(number)
        shares = {text: sum(weights[number] for number in group) / total for text, group in groups.items()}
        if len(groups) < 2 or sorted(shares.values())[-2] < _LEAST_SHARE:
            continue
        worth = -sum(share * math.log2(share) for share in shares.values() if share)
        likeliest = sorted(groups, key=lambda text: (-shares[text], text))[:2]
        if not all(text == "!" or is_answer(text) for text in likeliest):
            continue  # whoever knows which is right could not write it down
        worth += _EVEN_BITS * -sum(n / len(rows) * math.log2(n / len(rows)) for n in map(len, groups.values()))
        worth -= _LENGTH_BITS * len(call) + _ANSWER_BITS * sum(map(len, likeliest)) + _PLACE_BITS * at
        if "!" in groups:
            worth -= 0.5  # whether it ends is a bad question
        if best is None or worth > best[0]:
            answers = [AnswerGroup(text, tuple(group), round(shares[text], 4)) for text, group in groups.items()]
            best = worth, Disagreement(call, tuple(sorted(answers, key=lambda a: (-a.share, a.text))))
    return best[1] if best else None
