"""Further edits of a file that need more than one node of its syntax tree; a new idea is a file and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ..program.location import Location
from ..program.source import Source
from .donors import donors
from .listing import Edit
from .siblings import siblings

Grow = Callable[[Source, Location, Sequence[Edit], Mapping[str, str]], Iterator[Edit]]
"""From a file, how suspicious its places are, its single edits, and the text of every file of the program."""

GROWN: dict[str, Grow] = {"siblings": siblings, "donors": donors}


def grown_edits(
    source: Source, location: Location, edits: Sequence[Edit], project: Mapping[str, str]
) -> Iterator[Edit]:
    """Yield the edits of every idea; `project` is path -> text."""
    for grow in GROWN.values():
        yield from grow(source, location, edits, project)
