"""The order in which judged candidates are shown: what helps most, is likeliest and behaves like most others first."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from ..hunt.candidates import Candidate
from ..hunt.places import is_at
from .behaviour import Behaviour
from .joined import few_of_each
from .relations import RELATIONS
from .signs import Signs

SHOWN = 5
COST_WEIGHT = 0.6
"""Of a candidate's cost once it is known to pass: what is left of it beside all else that is known then."""
_OWN_SHARE = 0.8
"""What a candidate's own bits count beside those of its cluster."""
_SIZE_SHARE = 0.05
"""For each doubling of the characters that change: decides between equals."""
_ALIKE_SHARE = 0.2
"""What further candidates at the same line add to those that behave alike, beside the likeliest."""
_CRASH_BITS = 8.0
"""For crashing on every generated input on which the program did not crash before."""
_HANG_BITS = 4.0
"""For not ending on any of them."""
_EXAMPLE_BITS = 4.0
"""For each example of the docstring that it contradicts, two at most: an example may be misread."""
_MOST_CONTRADICTED = 2
_IDLE_BITS = 3.0
"""For each line that no case runs any more, three at most."""
_MOST_IDLE = 3
_NATURAL_BITS = 0.15
"""For each bit by which its lines surprise less than those they replace, five at most; surprise costs nothing, as an
edit's cost has that already."""
_MOST_NATURAL = 5.0
_TWIN_BITS = 2.0
"""For a branch that does what another one of the same condition does."""
_UNREAD_BITS = 1.5
"""For each name that nothing reads any more."""
_REPEATED_BITS = 1.0
"""By which a condition that says, but for names, what one of another function says is likelier."""
_CONSTANT_BITS = 2.5
"""For answering every call alike."""
_SHIFT_BITS = 1.0
"""For moving all answers by one amount."""
_NARROW_BITS = 1.0
"""For having lost all but one of the different answers."""
_MOST_BREACH_BITS = 2.0
"""For all that held before and does not with it: one mistake often shows in several ways."""
_COPIED_BITS = 2.0
"""For a value of a test that is written into the program."""
MARK_BITS: Mapping[str, float] = {
    "data": 2.0,
    "start": 2.0,
    "counts": 2.0,
    "early": 2.0,
    "silences": 2.0,
    "special": 2.0,
    "always": 2.0,
    "narrows": 2.0,
    "itself": 2.0,
    "constant": 2.0,
    "number": 1.0,
    "unused": 1.5,
    "unordered": 3.0,
    "part": 2.0,
    "texts": 2.0,
    "sums": 2.0,
    "acts": 2.0,
    "mutates": 2.0,
    "equality": 3.0,
    "overwrites": 3.0,
    "replaces": 1.0,
    "whole": 3.0,
    "half": 2.0,
    "unsaid": 2.0,
    "lets_in": 2.0,
    "skips": 2.0,
    "by_text": 2.0,
    "refused": 4.0,
    "left_over": 4.0,
    "other_end": 4.0,
    "readings": 4.0,
}
"""Mark of coincidence -> what it costs; the others are in the bits above."""


def rank_key(candidate: Candidate) -> tuple[bool, int, bool, bool, int, bool, float, int, str]:
    """Return a sort key: complete ones first, then those without a mark, cases gained, likelier and smaller.

    The cost comes before the size because it holds how suspicious the line is and how common the mistake. Among
    equally likely edits the smaller one wins; the text decides last, so the order never depends on timing.
    """
    # Of parts one without a doubt comes first, however few cases it mends: the rest is mended after it.
    doubted = bool(candidate.marks)
    return (
        not candidate.complete,
        len(candidate.breaks),
        doubted and not candidate.complete,
        candidate.parts > 1 and doubted and not candidate.complete,
        -candidate.gained,
        doubted,
        candidate.cost,
        candidate.size,
        candidate.changes[candidate.path],
    )


def useful_first(judged: Iterable[Candidate]) -> list[Candidate]:
    """Return those that pass every case, else those that fix a case and break none; best first."""
    useful = [c for c in judged if c.complete or (c.fixes and not c.breaks)]
    complete = [c for c in useful if c.complete]
    return sorted(complete or useful, key=rank_key)


def likeliest_parts(
    marked: Sequence[Candidate], prefer: Collection[tuple[str, int]], most: int
) -> tuple[Candidate, ...]:
    """Return of edits that mend a part those to look at closer: some for what each mends, the others in order.

    Of those that do as much, one that may be a coincidence comes behind one that does not look like it.
    """
    order = sorted(marked, key=lambda c: (not is_at(c, prefer), bool(c.breaks), -c.gained, bool(c.marks)))
    chosen = few_of_each(order, most // 2)
    return tuple([*chosen, *(one for one in order if one not in chosen)][:most])


def scores(
    candidates: Sequence[Candidate], behaviours: Sequence[Behaviour], signs: Sequence[Signs] | None = None
) -> list[float]:
    """Return for each complete candidate how unlikely it is to be right, in bits; all are in the same order.

    Candidates that behave alike support each other, those at different places the most.
    """
    rows = list(zip(candidates, behaviours, signs or [Signs()] * len(candidates), strict=True))
    bits = [
        COST_WEIGHT * candidate.cost + _doubt(behaviour) + _sign_bits(behaviour, sign)
        for candidate, behaviour, sign in rows
    ]
    masses: dict[int, dict[tuple[str, int], list[float]]] = {}
    for (candidate, behaviour, _), unlikely in zip(rows, bits, strict=True):
        lines = masses.setdefault(behaviour.cluster, {})
        lines.setdefault((candidate.path, candidate.line), []).append(2.0**-unlikely)
    total = {
        cluster: sum(max(at) + _ALIKE_SHARE * (sum(at) - max(at)) for at in lines.values())
        for cluster, lines in masses.items()
    }
    return [
        -math.log2(total[behaviour.cluster])
        + _OWN_SHARE * (unlikely + _doubt(behaviour))
        + _SIZE_SHARE * math.log2(1 + candidate.size)
        for (candidate, behaviour, _), unlikely in zip(rows, bits, strict=True)
    ]


def _doubt(behaviour: Behaviour) -> float:
    return (
        _CRASH_BITS * behaviour.new_crashes
        + _HANG_BITS * behaviour.hangs
        + _EXAMPLE_BITS * min(behaviour.contradicted, _MOST_CONTRADICTED)
    )


def _sign_bits(behaviour: Behaviour, signs: Signs) -> float:
    natural = min(_MOST_NATURAL, max(0.0, -signs.surprise))
    idle = min(signs.idle_lines, _MOST_IDLE)
    return (
        _IDLE_BITS * idle
        - _NATURAL_BITS * natural
        + _COPIED_BITS * signs.copies_expected
        + signs.bounds
        + _TWIN_BITS * signs.twins
        + _UNREAD_BITS * signs.idle_names
        - _REPEATED_BITS * signs.repeats
        + _CONSTANT_BITS * behaviour.is_constant
        + _SHIFT_BITS * behaviour.is_shift
        + _NARROW_BITS * behaviour.narrowed
        + min(_MOST_BREACH_BITS, sum(RELATIONS[breach.kind].bits for breach in signs.breaches))
        + sum(MARK_BITS.get(mark.kind, 0.0) for mark in signs.marks)
    )
