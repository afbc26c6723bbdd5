"""What a part of a repair mends, edits at other lines mend as well: nothing says that it is the right place. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from selfheal_tui.text import one_line

from ..hunt.candidates import Candidate
from ..program.mark import Mark
from ..program.purified import copied_from
from .joined import NEAR_BITS

_NAME = 60


def with_rivals(candidate: Candidate, singles: Iterable[Candidate], compared: Iterable[Candidate] = ()) -> Candidate:
    """Return the candidate, marked where one of its edits has rivals; `singles` are edits that mend a part.

    `compared` are the repairs that are asked for calls with it: where none has the likeliest rival of a line as one of
    its edits, that rival was never asked.

    A repair that mends every case by one edit is not looked at: it is compared by calls that no case makes. What an
    invented edit elsewhere mends says nothing against an edit that brings back what git had.
    """
    if candidate.complete and candidate.parts == 1:
        return candidate
    places = {(candidate.path, candidate.line), *candidate.before}
    asked = {edit for one in compared for edit in (one.edits or (one.summary,))}
    plain = [one for one in singles if one.parts == 1 and one.fixes and not one.breaks and not one.loses]
    for mends in candidate.mends or (candidate.fixes,):
        alike = [one for one in plain if frozenset(mends) <= frozenset(one.fixes)]
        there = [one for one in alike if (one.path, one.line) in places]
        own = min((one.cost for one in there), default=candidate.cost)
        if candidate.restored and any(one.is_as_git_had for one in there):
            alike = [one for one in alike if one.is_as_git_had]
        near = sorted((one for one in alike if one.cost <= own + NEAR_BITS), key=lambda one: -one.cost)
        rivals = {(one.path, one.line): one for one in near if (one.path, one.line) not in places}
        if rivals:
            likelier = "likelier " if all(one.cost < own for one in rivals.values()) else ""
            edits = f"{likelier}edits at {len(rivals)} other lines"
            if len(rivals) == 1:
                article = "a" if likelier else "an"
                edits = f"{article} {likelier}edit at {_line_words(next(iter(rivals)), candidate.path)}"
                only = next(iter(rivals.values()))
                edits += f" ({one_line(only.summary.partition(': ')[2], _NAME)})" if only.summary else ""
            unasked = candidate.complete and not all(
                any(edit.endswith(rival.summary) for edit in asked) for rival in rivals.values()
            )
            which = "which was not" if len(rivals) == 1 else "not all of which were"
            apart = f", {which} tried in its place" if unasked else ""
            why = f"{_shared_words(mends, edits)}{apart}."
            return replace(candidate, marks=(*candidate.marks, Mark("unasked" if unasked else "rivals", why)))
    return candidate


def _shared_words(mends: Collection[str], edits: str) -> str:
    """Say what some edits mend as well: the cases of tests, or where they mend none a check of one."""
    cases = [case for case in mends if copied_from(case) == case]
    if not cases:
        test = copied_from(min(mends)).rpartition("::")[2]
        return f"A check of {one_line(test, _NAME)} that it mends holds with {edits} too"
    return f"{len(cases)} of the cases that it mends {'is' if len(cases) == 1 else 'are'} mended by {edits} too"


def _line_words(at: tuple[str, int], path: str) -> str:
    """Say where a rival is, seen from an edit of the file `path`."""
    return f"line {at[1]}" if at[0] == path else f"line {at[1]} of {one_line(at[0], 60)}"
