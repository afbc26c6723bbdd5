"""Of two edits at one place the plainer one goes first: `>=` for `>`, and not 17 for 18; first what git had. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..hunt.candidates import Candidate

_NUMBERS = ("off_by_one", "number", "boundary")
_BITS = 2.0
_MADE_UP_BITS = 4.0
"""For an edit that somebody made up, where git knows one that mends as much: the program was once so."""


def dearer_beside_comparison(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates; one that changes a number costs more where another changes the comparison on its line."""
    compared = {_place(one) for one in candidates if _last(one) == "comparison"}
    return [
        replace(one, cost=one.cost + _BITS) if _last(one) in _NUMBERS and _place(one) in compared else one
        for one in candidates
    ]


def dearer_beside_git(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, which mend the same cases; one costs more where another at its line is as git had it."""
    had = {_place(one) for one in candidates if one.is_as_git_had}
    return [
        replace(one, cost=one.cost + _MADE_UP_BITS) if _place(one) in had and not one.is_as_git_had else one
        for one in candidates
    ]


def _last(candidate: Candidate) -> str:
    return candidate.operator.rpartition(" + ")[2]


def _place(candidate: Candidate) -> tuple[str, int, tuple[tuple[str, int], ...]]:
    return candidate.path, candidate.line, candidate.before
