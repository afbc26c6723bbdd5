"""Near misses: edits that heal no case but bring the answer of a failing one nearer to what it expects."""

from __future__ import annotations

import ast
import time
from collections.abc import Sequence
from itertools import islice

from ..program.calls import compared_calls
from ..program.distance import distance
from .candidates import Candidate, Candidates
from .rounds import Hunt, Stage

_MOST_ASKED = 2500
_CHUNK = 125
_CALLS = 3
_MOST_KEPT = 12
_NEARER = 1e-6
_SHARE = 0.25
"""Of the time that is left for asking."""
_LEAST_CASES = 2
"""Of the suite: two edits that fit one case alone fit nothing else (measured on one-assertion suites)."""


async def near_misses(hunt: Hunt, stage: Stage) -> list[Candidate]:
    """Return edits whose answers to calls of failing cases are nearer than the program's, nearest first.

    One for each set of answers. Raises: SandboxError.
    """
    if len(stage.report["cases"]) < _LEAST_CASES:
        return []
    wanted = _wanted(hunt, stage)
    calls = list(wanted)
    before = await hunt.judging.ask([{}], calls, hunt.left_s) if calls else []
    if not before or len(before[0]) != len(calls):
        return []
    base = _apart(before[0], wanted)
    nearest: dict[tuple[str, ...], tuple[float, Candidate]] = {}
    until = time.monotonic() + _SHARE * hunt.left_s
    drawn = iter(Candidates(hunt.edits, stage.sources))
    for _ in range(0, _MOST_ASKED, _CHUNK):
        batch = list(islice(drawn, _CHUNK))
        if not batch or time.monotonic() >= until:
            break
        rows = await hunt.judging.ask([candidate.changes for candidate in batch], calls, until - time.monotonic())
        for candidate, row in zip(batch, rows, strict=False):
            if len(row) == len(calls) and (apart := _apart(row, wanted)) < base - _NEARER:
                nearest.setdefault(tuple(row), (apart, candidate))
    by_distance = sorted(nearest.values(), key=lambda pair: (round(pair[0], 6), pair[1].cost, pair[1].summary))
    return [candidate for _, candidate in by_distance[:_MOST_KEPT]]


def _wanted(hunt: Hunt, stage: Stage) -> dict[str, str]:
    """Return call -> repr of what a failing case expects of it; comparisons with True or False say too little."""
    failing = set(hunt.judging.failing)
    expected: dict[str, str] = {}
    for case, call, literal in compared_calls(stage.test_texts):
        value = ast.literal_eval(literal)
        if case in failing and not isinstance(value, bool) and len(expected) < _CALLS:
            expected[ast.unparse(call)] = repr(value)
    return expected


def _apart(row: Sequence[str], wanted: dict[str, str]) -> float:
    return sum(distance(answer, expected) for answer, expected in zip(row, wanted.values(), strict=True))
