"""Repairs of independent mistakes: which candidates mend different cases, and several of them as one program.

A suite fails for several reasons when different edits at different places each mend some of its cases.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import islice, product

from selfheal_tui.line_blocks import merged_files
from selfheal_tui.text import one_line, plural

from ..hunt.candidates import Candidate, after
from .marks import find_marks
from .neutral import dearer_where_neutral

_ALTERNATIVES = 4
"""Edits that are tried for each mistake."""
_LOOKED_AT = 40
"""Edits among which unmarked ones are looked for."""
_MOST_MISTAKES = 6
_MOST_JOINED = 64
_EDITS, _LEAST = 320, 40
"""Characters of what all edits of one repair do, and that each of them has at least."""


def groups(improving: Iterable[Candidate]) -> list[list[Candidate]]:
    """Return the candidates that break nothing, grouped by the cases they mend; no case is in two groups.

    Groups that mend most come first, and the likeliest candidate of each.
    """
    by_cases: dict[frozenset[str], list[Candidate]] = {}
    for candidate in improving:
        if candidate.fixes and not candidate.breaks:
            by_cases.setdefault(frozenset(candidate.fixes), []).append(candidate)
    for alike in by_cases.values():
        alike.sort(key=lambda c: (c.cost, c.size, c.summary))
    order = sorted(by_cases.items(), key=lambda pair: (-len(pair[0]), pair[1][0].cost, sorted(pair[0])))
    mended: set[str] = set()
    chosen: list[list[Candidate]] = []
    for cases, alike in order:
        if mended.isdisjoint(cases):
            mended |= cases
            chosen.append(alike)
    return chosen


def joined_candidates(
    program: Mapping[str, str], improving: Iterable[Candidate], tests: Mapping[str, str]
) -> list[Candidate]:
    """Return programs with one candidate of each group, the likeliest first; empty with fewer than two groups.

    No candidate that may be a coincidence is joined. `program` and `tests` are path -> text.
    """

    def plain(alike: Sequence[Candidate]) -> list[Candidate]:
        looked_at = [dearer_where_neutral(program, one) for one in islice(_different(alike), _LOOKED_AT)]
        looked_at.sort(key=lambda c: (c.cost, c.size, c.summary))
        return [*islice((c for c in looked_at if not find_marks(program, c.changes, tests)), _ALTERNATIVES)]

    mistakes = [few for alike in groups(improving)[:_MOST_MISTAKES] if (few := plain(alike))]
    if len(mistakes) < 2:
        return []
    rows = product(*mistakes)
    joined = [one for row in rows if (one := _join(program, row)) is not None]
    return sorted(joined, key=lambda c: (c.cost, c.size, c.summary))[:_MOST_JOINED]


def is_minimal(candidate: Candidate) -> bool:
    """Tell whether each of its independent edits mends a case that passes with all of them; so does a single edit."""
    return all(not mended.isdisjoint(candidate.fixes) for mended in map(frozenset, candidate.mends))


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
        if len(row) > 1 and (one := _join(program, row)) is not None:
            smaller.setdefault(one.summary, one)
    return [*smaller.values()]


def few_of_each(candidates: Sequence[Candidate], most: int) -> tuple[Candidate, ...]:
    """Return at most `most`: the first for each set of cases, then for each place, then the rest, each in order."""
    chosen: dict[int, Candidate] = {}
    cases: set[frozenset[str]] = set()
    places: set[tuple[str, int]] = set()
    for number, candidate in enumerate(candidates):
        if (mends := frozenset(candidate.fixes)) not in cases:
            cases.add(mends)
            places.add((candidate.path, candidate.line))
            chosen[number] = candidate
    for number, candidate in enumerate(candidates):
        if (place := (candidate.path, candidate.line)) not in places:
            places.add(place)
            chosen[number] = candidate
    chosen |= {number: one for number, one in enumerate(candidates) if number not in chosen}
    return tuple(chosen.values())[:most]


def _different(alike: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield one candidate for each program text."""
    texts: set[tuple[tuple[str, str], ...]] = set()
    for candidate in alike:
        if (text := tuple(sorted(candidate.changes.items()))) not in texts:
            texts.add(text)
            yield candidate


def _join(program: Mapping[str, str], row: Sequence[Candidate]) -> Candidate | None:
    """Return the candidates of a row as one; None where they change the same lines."""
    changes = merged_files(program, [candidate.changes for candidate in row])
    if isinstance(changes, str):
        return None
    in_order = sorted(row, key=lambda c: (c.path, c.line))
    edits = tuple(edit_of(one, program) for one in in_order)
    return replace(
        reduce(after, in_order),
        changes=changes,
        summary=f"{plural(len(row), 'independent edit')}: {_places_first(in_order, edits)}",
        fixes=(),
        parts=len(row),
        edits=edits,
        mends=tuple(c.fixes for c in in_order),
    )


def _places_first(parts: Sequence[Candidate], edits: Sequence[str]) -> str:
    """Return the edits in one line; what they do is cut where they are long, and never where they are."""
    room = max(_EDITS // len(edits), _LEAST)
    ends = [edit.find(place) + len(place) for one, edit in zip(parts, edits, strict=True) for place in (_line_of(one),)]
    return "; ".join(one_line(edit, max(room, end + 1)) for edit, end in zip(edits, ends, strict=True))


def _line_of(part: Candidate) -> str:
    return f"line {part.line}"


def edit_of(part: Candidate, program: Collection[str]) -> str:
    """Return what a part is called among others: its file stands first where the program has several."""
    names_files = part.parts > 1 or any(path != part.path for path, _ in part.before)
    return part.summary if names_files or len(program) < 2 else f"{part.path} {part.summary}"
