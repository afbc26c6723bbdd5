"""Candidate repairs: every edit of every operator at a suspicious place, most promising first."""

from __future__ import annotations

import ast
import hashlib
import json
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from selfheal_tui.python_source import ONE_AT_A_TIME

from ..program.avoid import NOTHING, Avoid, closed_in
from ..program.localise import Suspect
from ..program.location import Location
from ..program.mark import Mark
from ..program.observations import Observations
from ..program.source import Source, observed_values, parse_source, refused_types
from .listing import Edit, Grow, Listing

AS_BEFORE = "as_before"
"""Name of the edits that bring back what a recent change replaced."""
_SECOND_BITS = 1.5
"""For needing two edits where one may do."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A changed program, and once judged what it does to the cases."""

    changes: Mapping[str, str]
    """Program path -> whole new text; only files that change."""
    summary: str
    """One line: "line 12: `<` becomes `<=`"."""
    operator: str
    path: str
    line: int
    cost: float
    """Bits: how unlikely the edit is, by its kind and its place; lower was tried earlier."""
    size: int
    """Characters removed and added."""
    reasons: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    """Case ids that failed before and pass now."""
    breaks: tuple[str, ...] = ()
    """Case ids that passed before and do not now."""
    complete: bool = False
    """Every case passed."""
    parts: int = 1
    """How many independent mistakes it mends: edits that mend different cases, joined."""
    edits: tuple[str, ...] = ()
    """Of edits that mend different cases: the summary of each."""
    mends: tuple[tuple[str, ...], ...] = ()
    """Of edits that mend different cases: the cases that each mends alone."""
    alone: tuple[Mapping[str, str], ...] = ()
    """Of edits that mend different cases: the files that each changes alone, path -> whole new text."""
    marks: tuple[Mark, ...] = ()
    """What speaks for a coincidence; of those that were ranked."""
    before: tuple[tuple[str, int], ...] = ()
    """(path, line) of the edits that go before this one, where it is one of several."""
    as_one: bool = False
    """Its edits are of one expression, and its summary tells them as one change."""
    restored: int = 0
    """How many of its edits bring back what a recent change replaced."""
    loses: tuple[str, ...] = ()
    """Checks of failing tests that held before and do not now, in words."""

    @property
    def gained(self) -> int:
        """How many cases and checks more pass."""
        return len(self.fixes) - len(self.breaks) - len(self.loses)

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """The files that it changes, (path, whole new text), sorted: the same for the same program."""
        return tuple(sorted(self.changes.items()))

    @property
    def is_as_git_had(self) -> bool:
        """Whether every line that it changes is again as git had it."""
        return self.restored == 1 + len(self.before)


Grown = Callable[[Source, Location, Sequence[Edit], Mapping[str, str]], Iterable[Edit]]


class Candidates:
    """The distinct candidates, made one by one as they are drawn; some may not compile."""

    def __init__(self, edits: Listing, program: Mapping[str, str], exclude: Collection[str] = ()) -> None:
        self.edits = edits
        """Cheapest first."""
        self._seen: set[tuple[str, str]] = set(program.items())
        self._exclude = frozenset(exclude)

    def __iter__(self) -> Iterator[Candidate]:
        for edit in self.edits:
            text = edit.apply()
            key = (edit.source.path, text)
            if key in self._seen:
                continue
            self._seen.add(key)
            candidate = candidate_of(edit, text)
            if not self._exclude or changes_key(candidate.changes) not in self._exclude:
                yield candidate


def candidate_of(edit: Edit, text: str) -> Candidate:
    """Return the candidate that an edit makes; `text` is the new text of its file."""
    splice = edit.splice
    return Candidate(
        changes={edit.source.path: text},
        summary=edit.summary,
        operator=edit.family.name,
        path=edit.source.path,
        line=edit.line,
        cost=edit.cost,
        size=splice.end - splice.start + len(splice.text),
        reasons=tuple(reason for reason in (edit.why, edit.family.reason) if reason),
        restored=int(edit.family.name == AS_BEFORE),
    )


def after(first: Candidate, second: Candidate) -> Candidate:
    """Return both changes as one candidate; `second` is an edit of the program that `first` makes."""
    return replace(
        second,
        changes={**first.changes, **second.changes},
        summary=_both(first, second),
        operator=f"{first.operator} + {second.operator}",
        cost=first.cost + second.cost + _SECOND_BITS,
        size=first.size + second.size,
        reasons=tuple(dict.fromkeys((*first.reasons, *second.reasons))),
        before=(*first.before, (first.path, first.line)),
        as_one=False,
        restored=first.restored + second.restored,
    )


def _both(first: Candidate, second: Candidate) -> str:
    """Say what two edits do, the upper one first; the file stands before each where they are in several."""
    paths = {path for path, _ in first.before}
    one, two = first.summary, second.summary
    if not first.before and not second.before and first.path == second.path and second.line < first.line:
        one, two = two, one
    if {*paths, first.path} != {second.path}:
        one = one if len({*paths, first.path}) > 1 else f"{first.path} {one}"
        two = f"{second.path} {two}"
    return f"{one}, and {two}"


def changes_key(changes: Mapping[str, str]) -> str:
    """Return the sha256 by which a set of changes (path -> text) is recognised again."""
    return hashlib.sha256(json.dumps(changes, sort_keys=True, default=str).encode()).hexdigest()


def shape_of(changes: Mapping[str, str]) -> str | None:
    """Return what identifies changes whatever their formatting; None when one does not compile."""
    digest = hashlib.sha256()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            for path, text in sorted(changes.items()):
                with ONE_AT_A_TIME:
                    tree = ast.parse(text)
                compile(tree, "<candidate>", "exec")
                digest.update(f"{path}\0{ast.dump(tree)}\0".encode())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return digest.hexdigest()


def build_candidates(
    program: Mapping[str, str],
    test_texts: Sequence[str],
    suspects: Sequence[Suspect],
    hints: Collection[tuple[str, int]] = (),
    exclude: Collection[str] = (),
    observations: Mapping[str, Observations] | None = None,
    failing: Sequence[str] = (),
    avoid: Avoid = NOTHING,
    restored: Callable[[Source, Location], Iterable[Edit]] = lambda source, location: (),
    grown: Grown = lambda source, location, edits, program: (),
) -> Candidates:
    """Return all single edits at suspicious places, cheapest first.

    `hints` are lines (path, 1-based) that a diagnosis points to: they count as most suspicious. `exclude` holds
    the `changes_key` of what was tried or rejected. `failing` are case ids; `restored` yields further edits of a file,
    and `grown` those that are made of its single edits.
    Nothing is edited where `avoid` says so. A file that does not parse yields nothing.
    """
    observed, refused = observed_values(test_texts), refused_types(test_texts)
    edits = Listing()
    suspected = {suspect.path for suspect in suspects}.union(path for path, _ in hints)
    for path, text in program.items():
        if path not in suspected:
            continue
        try:
            source = parse_source(path, text, observed, (observations or {}).get(path), refused)
        except (SyntaxError, ValueError):
            continue
        hinted = [line for where, line in hints if where == path]
        location = Location(source, suspects, failing, hinted)
        edits.add(
            source,
            location,
            restored(source, location),
            closed_in(avoid, source) if avoid else None,
            _grow(grown, source, location, program),
        )
    return Candidates(edits, program, exclude)


def _grow(grown: Grown, source: Source, location: Location, program: Mapping[str, str]) -> Grow:
    return lambda edits: grown(source, location, edits, program)


def allowed(edits: Sequence[Edit], source: Source, avoid: Avoid) -> list[Edit]:
    """Return the edits of a file that are where the search may edit."""
    is_closed = closed_in(avoid, source)
    return [edit for edit in edits if not is_closed(edit.splice.start, edit.splice.end, edit.splice.text)]
