"""Angelic edits: where some outcome of a place makes the failing cases pass, expressions that have that outcome."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Collection, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from selfheal_tui.sandbox.force import Forced

from ..angelic import FORCED, Kind, Spot
from ..angelic.base import instrumented
from ..angelic.samples import written
from ..operators import Family
from ..program.avoid import NOTHING, Avoid
from ..program.localise import is_failing, localise
from ..program.location import Location
from ..program.source import Source
from .candidates import Candidates, Edit, allowed
from .rounds import Hunt, Stage

_MOST_SPOTS = 300
_MOST_FAILING, _MOST_PASSING = 20, 12
"""Cases that are run with forced outcomes, and as they are."""
_SHARE = 0.12
"""Of the time that is left, for running with forced outcomes."""
_LEAST_S, _MOST_S = 0.5, 6.0
_MOST_PLACES = 25
"""Places for which expressions are made."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A spot in its file."""

    source: Source
    spot: Spot
    kind: Kind
    bits: float
    why: str


async def angelic_edits(
    hunt: Hunt, stage: Stage, hints: Collection[tuple[str, int]] = (), avoid: Avoid = NOTHING
) -> AsyncGenerator[None, None]:
    """Try edits that give a place the outcomes with which the failing cases pass. Raises: SandboxError."""
    placed = await asyncio.to_thread(_placed, hunt, stage, hints)
    by_path: dict[str, dict[int, Spot]] = defaultdict(dict)
    for number, one in enumerate(placed):
        by_path[one.source.path][number] = one.spot
    variant = {path: instrumented(stage.sources[path], spots) for path, spots in by_path.items()}
    seconds = max(_LEAST_S, min(_MOST_S, _SHARE * hunt.left_s))
    trials = [one.spot.trials for one in placed]
    numbers = _MOST_FAILING, _MOST_PASSING
    ways = await hunt.judging.force(variant, trials, numbers, seconds) if placed else []
    edits = await asyncio.to_thread(_edits, placed, ways, avoid)
    drawn = Candidates(edits, stage.sources)
    wanted = (candidate for candidate in drawn if hunt.is_wanted(candidate))
    async with aclosing(hunt.go_through(wanted, len(drawn))) as steps:
        async for _ in steps:
            yield


def _placed(hunt: Hunt, stage: Stage, hints: Collection[tuple[str, int]]) -> list[_Placed]:
    """Return the likeliest spots of the program's files."""
    suspects = localise(stage.report, stage.coverage, stage.sources, stage.recent)
    failing = [case["id"] for case in stage.report["cases"] if is_failing(case)]
    placed: list[_Placed] = []
    for path, source in {edit.source.path: edit.source for edit in hunt.edits}.items():
        location = Location(source, suspects, failing, [line for where, line in hints if where == path])
        placed += _spots(source, location)
    placed.sort(key=lambda one: one.kind.cost + one.spot.extra + one.bits)
    return placed[:_MOST_SPOTS]


def _spots(source: Source, location: Location) -> Iterator[_Placed]:
    for node in source.nodes():
        if source.function(node) is None or source.f_string(node) is not None:
            continue
        if (located := location.bits(node)) is None:
            continue
        for kind in FORCED.values():
            yield from (_Placed(source, spot, kind, *located) for spot in kind.spots(source, node))


def _edits(placed: Sequence[_Placed], ways: Sequence[Forced], avoid: Avoid) -> list[Edit]:
    """Return the edits for the places at which every failing case that was tried passes, likeliest first."""
    by_place: dict[int, list[Forced]] = defaultdict(list)
    for way in ways:
        by_place[way.place].append(way)
    mended = {place: len({way.case for way in some if way.changed}) for place, some in by_place.items()}
    most = max(mended.values(), default=0)
    likely = [place for place in sorted(by_place) if mended[place] == most and most]
    edits: list[Edit] = []
    for place in likely[:_MOST_PLACES]:
        one = placed[place]
        family = Family(one.kind.name, one.kind.cost, one.kind.reason, lambda source, node: iter(()))
        made = [
            Edit(one.source, splice, family, one.why, round(one.kind.cost + one.spot.extra + one.bits + bits, 4), order)
            for order, (splice, bits) in enumerate(written(one.source, one.spot, by_place[place]))
        ]
        edits += allowed(made, one.source, avoid) if avoid else made
    return sorted(edits, key=lambda edit: edit.cost)
