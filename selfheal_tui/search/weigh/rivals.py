"""What a part of a repair mends, edits at other lines mend as well: nothing says that it is the right place. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..hunt.candidates import Candidate
from ..program.mark import Mark

_NEAR_BITS = 2.0
"""A rival that is less likely than this many bits says nothing."""


def with_rivals(candidate: Candidate, singles: Iterable[Candidate]) -> Candidate:
    """Return the candidate, marked where one of its edits has rivals; `singles` are edits that mend a part.

    A repair that mends every case by one edit is not looked at: it is compared by calls that no case makes.
    """
    if candidate.complete and candidate.parts == 1:
        return candidate
    places = {(candidate.path, candidate.line), *candidate.before}
    plain = [one for one in singles if one.parts == 1 and one.fixes and not one.breaks]
    for mends in candidate.mends or (candidate.fixes,):
        alike = [one for one in plain if frozenset(mends) <= frozenset(one.fixes)]
        own = min((one.cost for one in alike if (one.path, one.line) in places), default=candidate.cost)
        rivals = {(one.path, one.line) for one in alike if one.cost <= own + _NEAR_BITS} - places
        if rivals:
            one = len(rivals) == 1
            edits = "An edit at another line mends" if one else f"{len(rivals)} edits at other lines mend"
            count = "one" if len(mends) == 1 else str(len(mends))
            why = f"{edits} {count} of its cases too."
            return replace(candidate, marks=(*candidate.marks, Mark("rivals", why)))
    return candidate
