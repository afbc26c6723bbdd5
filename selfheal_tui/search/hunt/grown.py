"""Further edits of a file that need more than one node of its syntax tree; a new idea is a file and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..program.location import Location
from ..program.source import Source
from .candidates import Edit
from .siblings import siblings

Grow = Callable[[Source, Location, Sequence[Edit]], Iterator[Edit]]
"""From a file, how suspicious its places are, and its single edits."""

GROWN: dict[str, Grow] = {"siblings": siblings}


def grown_edits(source: Source, location: Location, edits: Sequence[Edit]) -> Iterator[Edit]:
    """Yield the edits of every idea."""
    for grow in GROWN.values():
        yield from grow(source, location, edits)
