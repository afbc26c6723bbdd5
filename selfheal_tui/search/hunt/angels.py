"""Angelic edits: where some outcome of a place makes the failing cases pass, expressions that have that outcome."""

from __future__ import annotations

import ast
import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Collection, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from selfheal_tui.sandbox.force import Forced

from ..angelic import FORCED, Kind, Spot
from ..angelic.base import instrumented
from ..angelic.results import COST, NAME, REASON, special_results
from ..angelic.samples import written
from ..operators import Family, Splice
from ..program.avoid import NOTHING, Avoid
from ..program.localise import is_failing, localise
from ..program.location import Location
from ..program.source import Source
from .candidates import Candidates, allowed
from .listing import Edit, Listing
from .rounds import Hunt, Stage

_MOST_SPOTS = 300
_MOST_FAILING, _MOST_PASSING = 20, 12
"""Cases that are run with forced outcomes, and as they are."""
_SHARE = 0.12
"""Of the time that is left, for running with forced outcomes, and as much for making expressions."""
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
    located = await asyncio.to_thread(_located, hunt, stage, hints)
    placed = await asyncio.to_thread(_placed, located)
    by_path: dict[str, dict[int, Spot]] = defaultdict(dict)
    for number, one in enumerate(placed):
        by_path[one.source.path][number] = one.spot
    variant = {path: instrumented(stage.sources[path], spots) for path, spots in by_path.items()}
    seconds = max(_LEAST_S, min(_MOST_S, _SHARE * hunt.left_s))
    numbers = _MOST_FAILING, _MOST_PASSING
    ways = await hunt.judging.force(variant, [one.spot.trials for one in placed], numbers, seconds) if placed else []

    def build() -> list[Edit]:
        until = time.monotonic() + seconds
        edits = [*_results(located, hunt.judging.failing), *_edits(placed, ways, until)]
        open_ones = [edit for edit in edits if not avoid or allowed([edit], edit.source, avoid)]
        return sorted(open_ones, key=lambda edit: edit.cost)

    drawn = Candidates(Listing(await asyncio.to_thread(build)), stage.sources)
    wanted = (candidate for candidate in drawn if hunt.is_wanted(candidate))
    async with aclosing(hunt.go_through(wanted)) as steps:
        async for _ in steps:
            yield


def _located(hunt: Hunt, stage: Stage, hints: Collection[tuple[str, int]]) -> list[tuple[Source, Location]]:
    """Return the program's files that have edits, with how suspicious their places are."""
    suspects = localise(stage.copies.without_objects(stage.report), stage.coverage, stage.sources, stage.recent)
    failing = [case["id"] for case in stage.report["cases"] if is_failing(case)]
    sources = {source.path: source for source in hunt.edits.sources}
    return [
        (source, Location(source, suspects, failing, [line for where, line in hints if where == path]))
        for path, source in sources.items()
    ]


def _placed(located: Sequence[tuple[Source, Location]]) -> list[_Placed]:
    """Return the likeliest spots of the program's files."""
    placed = [one for source, location in located for one in _spots(source, location)]
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


def _edits(placed: Sequence[_Placed], ways: Sequence[Forced], until: float) -> Iterator[Edit]:
    """Yield the edits for the places at which the failing cases may pass, as far as the time (monotonic) goes."""
    by_place: dict[int, list[Forced]] = defaultdict(list)
    for way in ways:
        by_place[way.place].append(way)
    mended = {place: len({way.case for way in some if way.changed}) for place, some in by_place.items()}
    likely = sorted((place for place in by_place if mended[place]), key=lambda place: (-mended[place], place))
    for place in likely[:_MOST_PLACES]:
        if time.monotonic() > until:
            return
        one = placed[place]
        made = written(one.source, one.spot, by_place[place])
        cost = one.kind.cost + one.spot.extra + one.bits
        yield from _of_family(one.source, _family(one.kind.name, one.kind.cost, one.kind.reason), one.why, cost, made)


def _results(sources: Sequence[tuple[Source, Location]], failing: Sequence[str]) -> Iterator[Edit]:
    """Yield the edits that give failing cases another result where they return."""
    family = _family(NAME, COST, REASON)
    for source, location in sources:
        for node in source.nodes():
            if isinstance(node, ast.Return) and (located := location.bits(node)) is not None:
                bits, why = located
                yield from _of_family(source, family, why, COST + bits, special_results(source, node, failing))


def _family(name: str, cost: float, reason: str) -> Family:
    return Family(name, cost, reason, lambda source, node: iter(()))


def _of_family(
    source: Source, family: Family, why: str, cost: float, made: Iterable[tuple[Splice, float]]
) -> Iterator[Edit]:
    for order, (splice, bits) in enumerate(made):
        yield Edit(source, splice, family, why, round(cost + bits, 4), order)
