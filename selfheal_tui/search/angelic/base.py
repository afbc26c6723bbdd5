"""The registry of kinds of places whose outcome can be forced."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from selfheal_tui.search.program.source import Source

from ..operators import Splice

FORCE = "__force__"
"""What a program calls with the number of a place and its value; `sandbox/inside/sift/force.py` gives it."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in one file whose outcome can be forced."""

    node: ast.expr | ast.stmt
    """The variables that can be read there are those of the new expression."""
    before: str
    """What is put before `start`: it ends within a call of `FORCE`, `#` standing for the number."""
    after: str
    """What is put at `end`."""
    start: int
    end: int
    write: Callable[[str], Splice | None]
    """Make the edit that puts an expression there."""
    trials: tuple[str, ...] = ()
    """Literals that its value may be; none for a condition."""
    now: str = ""
    """The text of the expression as it is; empty where there is none yet."""
    extra: float = 0.0
    """Bits."""


SpotFinder = Callable[[Source, ast.AST], Iterator[Spot]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A registered kind of place."""

    name: str
    cost: float
    """In bits, as of an operator's family."""
    reason: str
    spots: SpotFinder


FORCED: dict[str, Kind] = {}


def forced(name: str, cost: float, reason: str) -> Callable[[SpotFinder], SpotFinder]:
    """Register a generator that maps a node to spots; none may lie in an f-string."""

    def register(spots: SpotFinder) -> SpotFinder:
        FORCED[name] = Kind(name, cost, reason, spots)
        return spots

    return register


def wrapped(
    source: Source, node: ast.expr, write: Callable[[str], Splice | None], trials: tuple[str, ...] = ()
) -> Spot:
    """Return the spot of an expression that is there."""
    start, end = source.span(node)
    return Spot(node, f"{FORCE}(#, (", "))", start, end, write, trials, source.segment(node))


def instrumented(text: str, spots: Mapping[int, Spot]) -> str:
    """Return a file's text in which the spots (by their numbers) ask what they are to be."""
    insertions: list[tuple[tuple[int, int, int, int], int, str]] = []
    for number, spot in spots.items():
        width = spot.end - spot.start
        opening = spot.before.replace("#", str(number), 1)
        # Where several meet, an inner one ends before an outer one ends, and an outer one begins before an inner one.
        if not spot.after:
            insertions.append(((spot.start, 1, 0, number), spot.start, opening))
            continue
        insertions.append(((spot.start, 2, -width, number), spot.start, opening))
        insertions.append(((spot.end, 0, width, -number), spot.end, spot.after))
    pieces: list[str] = []
    at = 0
    for _, offset, piece in sorted(insertions):
        pieces += [text[at:offset], piece]
        at = offset
    return "".join([*pieces, text[at:]])
