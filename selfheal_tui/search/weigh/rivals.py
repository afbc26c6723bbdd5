"""What a part of a repair mends, edits at other lines mend as well: nothing says that it is the right place. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from selfheal_tui.text import one_line

from ..hunt.candidates import Candidate
from ..program.mark import Mark
from ..program.purified import copied_from
from .joined import NEAR_BITS, join

_NAME = 60
_BESIDE = 4
"""Lines within which the same statement, added, stands in one block as far as one knows."""
_Texts = tuple[tuple[str, str], ...]
Swap = tuple[_Texts, _Texts]
"""The texts of a joined repair, and those of a rival of one of its edits alone."""
BitsOfMarks = Callable[[Candidate], float]
"""Tells how much less likely an edit is by the marks of its text; infinitely so where it has its values from the tests:
what mends a case so says nothing of another edit."""


def _unmarked(_: Candidate) -> float:
    return 0.0


def with_rivals(
    candidate: Candidate,
    singles: Iterable[Candidate],
    compared: Iterable[Candidate] = (),
    *,
    in_vain: Collection[Swap] = (),
    several_files: bool = False,
    bits_of: BitsOfMarks = _unmarked,
) -> Candidate:
    """Return the candidate, marked where one of its edits has rivals; `singles` are edits that mend a part.

    `compared` are the repairs that are asked for calls with it: where none has the likeliest rival of a line as one of
    its edits, that rival was never asked. Rivals that were tried `in_vain` in its place are none, nor are those copied
    from the tests. With `several_files` in the program each line names its file.

    A repair that mends every case by one edit is not looked at: it is compared by calls that no case makes. What an
    invented edit elsewhere mends says nothing against an edit that brings back what git had.
    """
    if candidate.complete and candidate.parts == 1:
        return candidate
    asked = {edit for one in compared for edit in (one.edits or (one.summary,))}
    plain = _plain(singles)
    # What mends nothing once it is judged again has no rivals: everything mends as much.
    for mends in filter(None, candidate.mends or (candidate.fixes,)):
        own, found = _rivals(candidate, mends, plain, bits_of)
        rivals = {at: one for at, one in found.items() if (candidate.texts, one.texts) not in in_vain}
        if rivals:
            likelier = "likelier " if all(one.cost < own for one in rivals.values()) else ""
            edits = f"{likelier}edits at {len(rivals)} other lines"
            if len(rivals) == 1:
                article = "a" if likelier else "an"
                place = _line_words(next(iter(rivals)), "" if several_files else candidate.path)
                edits = f"{article} {likelier}edit at {place}"
                only = next(iter(rivals.values()))
                edits += f" ({one_line(_what(only), _NAME)})" if only.summary else ""
            unasked = candidate.complete and not all(_is_asked(rival, asked) for rival in rivals.values())
            which = "and was not" if len(rivals) == 1 else "and not all of them were"
            apart = f", {which} tried in its place" if unasked else ""
            if candidate.complete and not unasked:
                apart = "; another repair has it instead" if len(rivals) == 1 else "; other repairs have them instead"
            why = f"{_shared_words(mends, edits, len(rivals))}{apart}."
            return replace(candidate, marks=(*candidate.marks, Mark("unasked" if unasked else "rivals", why)))
    return candidate


def with_rival_instead(
    program: Mapping[str, str],
    candidate: Candidate,
    singles: Sequence[Candidate],
    compared: Iterable[Candidate],
    bits_of: BitsOfMarks = _unmarked,
) -> list[tuple[Swap, Candidate]]:
    """Return a joined repair with each rival of one of its edits in that edit's place, the likeliest first.

    Rivals that one of those `compared` has already are left out; those that change the same lines as another edit of it
    cannot stand beside that.
    """
    asked = {edit for one in compared for edit in one.edits}
    plain = _plain(singles)
    of_changes = {one.texts: one for one in singles if one.parts == 1}
    row = [of_changes.get(tuple(sorted(changes.items()))) for changes in candidate.alone]
    parts = [part for part in row if part is not None]
    if len(parts) != len(row):
        return []
    tried: list[tuple[Swap, Candidate]] = []
    for number, mends in enumerate(candidate.mends):
        for rival in _rivals(candidate, mends, plain, bits_of)[1].values():
            others = [*parts[:number], rival, *parts[number + 1 :]]
            if not _is_asked(rival, asked) and (joined := join(program, others)) is not None:
                tried.append(((candidate.texts, rival.texts), joined))
    return sorted(tried, key=lambda one: (one[1].cost, one[1].summary))


def _plain(singles: Iterable[Candidate]) -> list[Candidate]:
    return [one for one in singles if one.parts == 1 and one.fixes and not one.breaks and not one.loses]


def _rivals(
    candidate: Candidate, mends: Collection[str], plain: Sequence[Candidate], bits_of: BitsOfMarks
) -> tuple[float, dict[tuple[str, int], Candidate]]:
    """Return the cost of the edit that mends these cases, and the likeliest edit at each other line that does too."""
    places = {(candidate.path, candidate.line), *candidate.before}
    alike = [one for one in plain if frozenset(mends) <= frozenset(one.fixes)]
    there = [one for one in alike if (one.path, one.line) in places]
    own = min((one.cost for one in there), default=candidate.cost)
    if candidate.restored and any(one.is_as_git_had for one in there):
        alike = [one for one in alike if one.is_as_git_had]
    near = sorted((one for one in alike if one.cost <= own + NEAR_BITS), key=lambda one: -one.cost)
    elsewhere = (one for one in near if (one.path, one.line) not in places and not _is_beside(one, there))
    return own, {(one.path, one.line): one for one in elsewhere if one.cost + bits_of(one) <= own + NEAR_BITS}


def _is_beside(rival: Candidate, there: Iterable[Candidate]) -> bool:
    """Tell whether it is one of the edits `there` a few lines further on: the same statement is added to a block."""
    return bool(_what(rival)) and any(
        one.path == rival.path and abs(one.line - rival.line) <= _BESIDE and _what(one) == _what(rival) for one in there
    )


def _what(edit: Candidate) -> str:
    """Return what an edit does, without its place."""
    return edit.summary.partition(": ")[2]


def _is_asked(rival: Candidate, asked: Collection[str]) -> bool:
    return any(edit.endswith(rival.summary) for edit in asked)


def _shared_words(mends: Collection[str], edits: str, count: int) -> str:
    """Say what so many edits mend as well: the cases of tests, or where they mend none a check of one."""
    edits, s = f"{edits[0].upper()}{edits[1:]}", "s" * (count == 1)
    cases = [case for case in mends if copied_from(case) == case]
    if not cases:
        test = copied_from(min(mends)).rpartition("::")[2]
        return f"{edits} make{s} a check of {one_line(test, _NAME)} hold too"
    return f"{edits} mend{s} {len(cases)} of its cases too"


def _line_words(at: tuple[str, int], path: str) -> str:
    """Say where a rival is, seen from an edit of the file `path`."""
    return f"line {at[1]}" if at[0] == path else f"line {at[1]} of {one_line(at[0], 60)}"
