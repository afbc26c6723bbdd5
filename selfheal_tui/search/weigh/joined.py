"""Repairs of independent mistakes: which candidates mend different cases, and several of them as one program.

A suite fails for several reasons when different edits at different places each mend some of its cases.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import islice, product, takewhile
from typing import NamedTuple

from selfheal_tui.line_blocks import merged_files
from selfheal_tui.text import one_line, plural

from ..hunt.candidates import Candidate, after
from ..program.mark import Mark
from .marks import find_marks
from .neutral import dearer_where_neutral

_ALTERNATIVES = 4
"""Edits that are tried for each mistake."""
_RIVALS = 2
"""Further ones at other lines that are about as likely."""
NEAR_BITS = 2.0
"""A rival that is less likely than this many bits says nothing."""
_LOOKED_AT, _MOST_GROUPS = 60, 12
"""Edits that mend the same cases among which unmarked ones are looked for, and for how many sets of cases."""
_MOST_MISTAKES = 6
_DOUBTED_TRIED = 2
"""Edits that may be a coincidence that are tried for a mistake that no other mends."""
_DOUBTED = Mark("joined", "It joins an edit that may mend its cases by coincidence: nothing else mends them all.")
_MOST_JOINED = 64
_EDITS, _LEAST = 320, 40
"""Characters of what all edits of one repair do, and that each of them has at least."""


def joined_candidates(
    program: Mapping[str, str], improving: Iterable[Candidate], tests: Mapping[str, str], *, doubted: bool = False
) -> list[Candidate]:
    """Return programs with one candidate for each mistake, the likeliest first; empty with fewer than two mistakes.

    Those with the most edits that bring back what git had come before all others. No candidate that may be a
    coincidence is joined, nor do its cases count as mended; with `doubted` it is where nothing else mends them, and
    the result bears a mark. `program` and `tests` are path -> text.
    """
    improving = [*improving]
    joined: dict[tuple[tuple[str, str], ...], Candidate] = {}
    for git_first in (True, False) if any(one.is_as_git_had for one in improving) else (False,):
        by_cases = _by_cases(improving, git_first)
        mistakes = _mistakes(program, by_cases, tests)
        if doubted:
            mistakes = _with_doubted(mistakes, by_cases)
        for row in product(*mistakes) if len(mistakes) > 1 else ():
            if (one := join(program, row)) is not None:
                joined.setdefault(one.texts, replace(one, marks=(*one.marks, _DOUBTED)) if doubted else one)
    return sorted(joined.values(), key=lambda c: (-c.restored, c.cost, c.size, c.summary))[:_MOST_JOINED]


_ByCases = Sequence[tuple[frozenset[str], Sequence[Candidate]]]


def _mistakes(program: Mapping[str, str], by_cases: _ByCases, tests: Mapping[str, str]) -> list[list[Candidate]]:
    """Return the likeliest few for each mistake; no case is mended by those of two."""
    mistakes: list[list[Candidate]] = []
    mended: set[str] = set()
    looked_at = 0
    for cases, alike in by_cases:
        if mended.isdisjoint(cases) and len(mistakes) < _MOST_MISTAKES and looked_at < _MOST_GROUPS:
            looked_at += 1
            if few := _plain(alike, program, tests):
                mistakes.append(few)
                mended |= cases
    return mistakes


def _with_doubted(mistakes: list[list[Candidate]], by_cases: _ByCases) -> list[list[Candidate]]:
    """Return the mistakes and those of which every edit may be a coincidence, each with the likeliest of these."""
    mended = {case for few in mistakes for case in few[0].fixes}
    more: list[list[Candidate]] = []
    for cases, alike in by_cases:
        if mended.isdisjoint(cases) and len(mistakes) + len(more) < _MOST_MISTAKES:
            more.append([*islice(_different(alike), _DOUBTED_TRIED)])
            mended |= cases
    return [*mistakes, *more]


def _by_cases(improving: Iterable[Candidate], git_first: bool) -> _ByCases:
    """Return the cases that are mended with the candidates that mend these and break nothing, likeliest first.

    Those that mend most come first; with `git_first` those before all others for which a candidate brings back what
    git had.
    """
    by_cases: dict[frozenset[str], list[Candidate]] = {}
    for candidate in improving:
        if candidate.fixes and not candidate.breaks:
            by_cases.setdefault(frozenset(candidate.fixes), []).append(candidate)
    for alike in by_cases.values():
        alike.sort(key=_restored_first)
    return sorted(
        by_cases.items(),
        key=lambda pair: (git_first and not pair[1][0].is_as_git_had, -len(pair[0]), pair[1][0].cost, sorted(pair[0])),
    )


def _plain(alike: Sequence[Candidate], program: Mapping[str, str], tests: Mapping[str, str]) -> list[Candidate]:
    """Return the likeliest few that bear no mark, and rivals at other lines: what they do else can be compared then."""
    looked_at = [dearer_where_neutral(program, one) for one in islice(_different(alike), _LOOKED_AT)]
    looked_at.sort(key=_restored_first)
    unmarked = (c for c in looked_at if c.is_as_git_had or not find_marks(program, c.changes, tests))
    few = [*islice(unmarked, _ALTERNATIVES)]
    places = {(one.path, one.line) for one in few}
    for one in takewhile(lambda one: one.cost <= few[0].cost + NEAR_BITS, unmarked):
        if (one.path, one.line) not in places and len(few) < _ALTERNATIVES + _RIVALS:
            places.add((one.path, one.line))
            few.append(one)
    return few


def _restored_first(candidate: Candidate) -> tuple[bool, float, int, str]:
    return not candidate.is_as_git_had, candidate.cost, candidate.size, candidate.summary


def is_minimal(candidate: Candidate) -> bool:
    """Tell whether each of its independent edits mends a case that passes with all of them; so does a single edit."""
    return all(not mended.isdisjoint(candidate.fixes) for mended in map(frozenset, candidate.mends))


def without_padded(
    candidates: Sequence[Candidate], real: Callable[[Collection[str]], Collection[str]]
) -> list[Candidate]:
    """Return the candidates but for those of which fewer edits at the same places mend as many cases.

    What the other edits mend are checks of a test that fails with them too: `real` leaves out such cases.
    """
    fewer: dict[tuple[frozenset[tuple[str, int]], frozenset[str], int], int] = {}
    for one in candidates:
        if not one.breaks:
            known = _places(one), frozenset(real(one.fixes)), len(one.loses)
            fewer[known] = min(len(one.before), fewer.get(known, len(one.before)))

    def is_padded(candidate: Candidate) -> bool:
        places, mends, loses = _places(candidate), {*real(candidate.fixes)}, len(candidate.loses)
        return bool(candidate.before) and any(
            edits < len(candidate.before) and at <= places and mends <= also and less <= loses
            for (at, also, less), edits in fewer.items()
        )

    return [candidate for candidate in candidates if not is_padded(candidate)]


def _places(candidate: Candidate) -> frozenset[tuple[str, int]]:
    return frozenset(((candidate.path, candidate.line), *candidate.before))


def minimal_candidates(
    program: Mapping[str, str], joined: Iterable[Candidate], improving: Iterable[Candidate]
) -> list[Candidate]:
    """Return what remains of joined candidates without the edits that mend nothing in them, two edits at least.

    `improving` holds the single edits that they were joined from.
    """
    parts = {(c.path, c.summary, c.fixes): c for c in improving if c.parts == 1}
    smaller: dict[str, Candidate] = {}
    for candidate in joined:
        several = [part for mends in candidate.mends for part in parts.values() if part.fixes == mends]
        row = [
            part
            for part in several
            if edit_of(part, program) in candidate.edits and not frozenset(part.fixes).isdisjoint(candidate.fixes)
        ]
        if len(row) > 1 and (one := join(program, row)) is not None:
            smaller.setdefault(one.summary, one)
    return [*smaller.values()]


def one_edit_less(program: Mapping[str, str], candidate: Candidate, improving: Iterable[Candidate]) -> list[Candidate]:
    """Return what remains of a joined candidate without each one of its edits, two edits at least.

    Alone each edit mends cases of its own; beside the others one may have nothing left to mend. `improving` holds the
    edits that it was joined from.
    """
    parts = {one.texts: one for one in improving}
    row = [parts.get(tuple(sorted(alone.items()))) for alone in candidate.alone]
    if len(row) < 3:
        return []
    rows = ([one for n, one in enumerate(row) if n != at and one is not None] for at in range(len(row)))
    return [one for kept in rows if len(kept) == len(row) - 1 and (one := join(program, kept)) is not None]


def few_of_each(candidates: Sequence[Candidate], most: int) -> tuple[Candidate, ...]:
    """Return at most `most`: those that mend a case which none before them mends, the first for each set of cases, then
    for each place, then the rest, each in order."""
    chosen: dict[int, Candidate] = {}
    mended: set[str] = set()
    cases: set[frozenset[str]] = set()
    places: set[tuple[str, int]] = set()
    brings: Sequence[Callable[[Candidate], bool]] = (
        lambda one: not chosen or not mended.issuperset(one.fixes),
        lambda one: frozenset(one.fixes) not in cases,
        lambda one: (one.path, one.line) not in places,
        lambda _: True,
    )
    for is_new in brings:
        for number, one in enumerate(candidates):
            if number not in chosen and is_new(one):
                chosen[number] = one
                mended.update(one.fixes)
                cases.add(frozenset(one.fixes))
                places.add((one.path, one.line))
    return tuple(chosen.values())[:most]


def _different(alike: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield one candidate for each program text."""
    texts: set[tuple[tuple[str, str], ...]] = set()
    for candidate in alike:
        if (text := candidate.texts) not in texts:
            texts.add(text)
            yield candidate


def join(program: Mapping[str, str], row: Sequence[Candidate]) -> Candidate | None:
    """Return the candidates of a row as one, each mends other cases; None where they change the same lines."""
    changes = merged_files(program, [candidate.changes for candidate in row])
    if isinstance(changes, str):
        return None
    in_order = sorted(row, key=lambda c: (c.path, c.line))
    each = sorted((edit for one in in_order for edit in _each(one, program)), key=lambda edit: edit.places[-1])
    edits = tuple(one.words for one in each)
    return replace(
        reduce(after, in_order),
        changes=changes,
        summary=f"{plural(len(each), 'independent edit')}: {_places_first([one.places[-1][1] for one in each], edits)}",
        fixes=(),
        parts=len(each),
        before=tuple(place for one in each for place in one.places)[:-1],
        edits=edits,
        mends=tuple(one.mends for one in each),
        alone=tuple(one.changes for one in each),
    )


class _Edit(NamedTuple):
    places: tuple[tuple[str, int], ...]
    words: str
    mends: tuple[str, ...]
    changes: Mapping[str, str]


def _each(one: Candidate, program: Mapping[str, str]) -> list[_Edit]:
    """Return a candidate as the edit that it is; one that was joined before as each of its edits."""
    places = (*one.before, (one.path, one.line))
    if not one.edits:
        return [_Edit(places, edit_of(one, program), one.fixes, one.changes)]
    own = [(place,) for place in places[len(places) - len(one.edits) :]]
    return [_Edit(*edit) for edit in zip(own, one.edits, one.mends, one.alone, strict=True)]


def _places_first(lines: Sequence[int], edits: Sequence[str]) -> str:
    """Return edits in one line; what they do is cut where they are long, and never at which of these lines they are."""
    room = max(_EDITS // len(edits), _LEAST)
    places = [f"line {line}" for line in lines]
    ends = [edit.find(place) + len(place) for place, edit in zip(places, edits, strict=True)]
    return "; ".join(one_line(edit, max(room, end + 1)) for edit, end in zip(edits, ends, strict=True))


def edit_of(part: Candidate, program: Collection[str]) -> str:
    """Return what a part is called among others: its file stands first where the program has several."""
    names_files = part.parts > 1 or any(path != part.path for path, _ in part.before)
    return part.summary if names_files or len(program) < 2 else f"{part.path} {part.summary}"
