"""Two edits: a second one where the first one helps, then pairs of cheap ones at different places."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import combinations, islice

from selfheal_tui.line_blocks import lines_before
from selfheal_tui.sandbox.base import Sandbox, run_through

from ..program.recent import carried_changes
from .candidates import Candidate, after, candidate_of, shape_of
from .families import families
from .listing import Edit
from .rounds import Hunt, Stage

_MOST_FIRST = 25
_LEAST_SHARE_S = 4.0
_AT = re.compile(r"^((?:\S+ )?line )\d+(: )")
_SHARE = 0.12
"""Of the time that is left for one first edit."""
_CHEAP_EDITS = 260
_MOST_PAIRS = 60_000
_OTHER_FILE_BITS = 2.0
"""For needing edits in two files where two of one file may do."""


async def second_edits(
    hunt: Hunt, sandbox: Sandbox, before: Stage, firsts: Sequence[Candidate], share: float
) -> AsyncGenerator[None, None]:
    """Edit the programs that these edits of `before` make, each examined and localised anew, in a share of the time.

    Raises: SandboxError.
    """
    shapes: set[str | None] = set()
    until = time.monotonic() + share * hunt.left_s
    for first in firsts:
        if hunt.is_over or hunt.complete or len(shapes) >= _MOST_FIRST or time.monotonic() > until:
            return
        shape = shape_of(first.changes)
        if shape in shapes:
            continue
        shapes.add(shape)
        suite = replace(hunt.suite, files={**hunt.suite.files, **first.changes}, coverage=True)
        limits = hunt.judging.suite.limits
        limits = replace(limits, time_s=min(limits.time_s, max(1.0, hunt.left_s)))
        covered = await run_through(sandbox, replace(suite, limits=limits))
        recent = carried_changes(before.recent, before.sources, suite.files)
        stage = Stage(replace(suite, coverage=False), covered.report, covered.coverage, before.other_tests, recent)
        candidates = await hunt.candidates_of(stage)
        share_s = max(_LEAST_SHARE_S, _SHARE * hunt.left_s)
        lines = {path: lines_before(before.sources[path], text) for path, text in first.changes.items()}
        drawn = (after(first, at_line(second, lines.get(second.path))) for second in candidates)
        async with aclosing(hunt.go_through(drawn, time.monotonic() + share_s)) as steps:
            async for _ in steps:
                yield


def at_line(candidate: Candidate, lines: Mapping[int, int] | None) -> Candidate:
    """Return a candidate of a changed program with the line of the program as it is: `lines` is changed -> as it is."""
    if lines is None or (line := lines.get(candidate.line, candidate.line)) == candidate.line:
        return candidate
    summary = _AT.sub(lambda match: f"{match[1]}{line}{match[2]}", candidate.summary, count=1)
    return replace(candidate, line=line, summary=summary)


async def pairs(hunt: Hunt) -> AsyncGenerator[None, None]:
    """Try two cheap edits at once, of one file or of two, the likeliest pairs first. Raises: SandboxError."""
    named = families()
    small = (edit for edit in hunt.edits if edit.family.name in named)
    likeliest = list(_pairs([*islice(small, _CHEAP_EDITS)]))
    likeliest.sort(key=_bits)
    drawn = (both(*pair) for pair in likeliest[:_MOST_PAIRS])
    async with aclosing(hunt.go_through(drawn)) as steps:
        async for _ in steps:
            yield


def _bits(pair: tuple[Edit, Edit]) -> float:
    first, second = pair
    return first.cost + second.cost + (0.0 if first.source is second.source else _OTHER_FILE_BITS)


def _pairs(edits: Sequence[Edit]) -> Iterator[tuple[Edit, Edit]]:
    for one, other in combinations(edits, 2):
        if one.source is not other.source:
            yield one, other
            continue
        first, second = sorted((one, other), key=lambda e: (e.splice.start, e.splice.end))
        if first.splice.end <= second.splice.start and first.splice.start != second.splice.start:
            yield first, second


def both(first: Edit, second: Edit) -> Candidate:
    """Return the candidate of two edits; those of one file must not overlap, the one further up first."""
    if first.source is not second.source:
        return after(candidate_of(first, first.apply()), candidate_of(second, second.apply()))
    text, one, other = first.source.text, first.splice, second.splice
    changed = text[: one.start] + one.text + text[one.end : other.start] + other.text + text[other.end :]
    return after(candidate_of(first, changed), candidate_of(second, changed))
