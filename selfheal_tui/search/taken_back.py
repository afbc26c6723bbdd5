"""Several recent changes taken back at once: tried before any edit is invented, as the program was once so.

Each is judged in a process of its own. Only what mends failing cases and breaks none is taken back; what else a commit
brought stays.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

from selfheal_tui.line_blocks import merged_files

from .hunt.candidates import Candidate, after, allowed, candidate_of
from .hunt.restored import restored_edits
from .hunt.rounds import Hunt, Stage
from .program.avoid import Avoid
from .program.localise import is_failing, localise
from .program.location import Location
from .program.source import parse_source
from .weigh.joined import join

_MOST = 24
"""Changes that are looked at, the most suspicious ones."""
_SHARE = 0.4
"""Of the time that is left."""
_LEAST_RUN_S = 0.2


async def take_back(hunt: Hunt, stage: Stage, avoid: Avoid) -> AsyncGenerator[None, None]:
    """Find what mends every case by taking back two recent changes or more, and what helps only taken back at once.

    Nothing is done where git knows fewer: one change alone is the first of all edits anyway. Raises: SandboxError.
    """
    until = time.monotonic() + _SHARE * hunt.left_s
    changes = (await asyncio.to_thread(_changes, stage, avoid))[: max(0, min(_MOST, _affordable(stage, until)))]
    singles = [one.candidate for one in changes if one.is_run]
    if not singles or len(changes) < 2:
        return
    judged = await hunt.judge(singles)
    yield
    helpful = [one for one in judged if one.fixes and not one.breaks]
    if any(one.complete for one in helpful):
        return
    row = _covering(helpful)
    joined = join(stage.sources, row) if len(row) > 1 else None
    best = await hunt.judge([joined] if joined is not None and hunt.is_wanted(joined) else [])
    yield
    if not any(one.complete for one in best):
        done = {case for one in (*row, *best) for case in one.fixes}
        best = await _only_together(hunt, stage, _rows(changes), done, until)
        yield
    hunt.keep(one for one in best if one.fixes and not one.breaks and hunt.is_wanted(one))


class _Change(NamedTuple):
    candidate: Candidate
    """Takes it back."""
    commit: str
    is_run: bool
    """A failing case comes to its lines."""


def _changes(stage: Stage, avoid: Avoid) -> list[_Change]:
    """Return the recent changes of the program, the most suspicious first."""
    found: list[_Change] = []
    changed = {path for path, _ in stage.recent} & stage.sources.keys()
    suspects = localise(stage.report, stage.coverage, stage.sources, stage.recent) if changed else ()
    failing = [case["id"] for case in stage.report["cases"] if is_failing(case)]
    for path in sorted(changed):
        try:
            source = parse_source(path, stage.sources[path], ())
        except (SyntaxError, ValueError):
            continue
        location = Location(source, suspects, failing)
        for edit in allowed([*restored_edits(source, location, stage.recent, unseen_too=True)], source, avoid):
            commit = stage.recent[path, edit.line].commit
            found.append(_Change(candidate_of(edit, edit.apply()), commit, bool(edit.why)))
    return sorted(found, key=lambda one: (one.candidate.cost, one.candidate.path, one.candidate.line))


def _rows(changes: Sequence[_Change]) -> list[list[Candidate]]:
    """Return those of each commit, and all; sets that no failing case comes to, and single ones, are left out."""
    commits = dict.fromkeys(one.commit for one in changes)
    rows = [[one for one in changes if one.commit == commit] for commit in commits]
    rows += [[*changes]] if len(rows) > 1 else []
    return [[one.candidate for one in row] for row in rows if len(row) > 1 and any(one.is_run for one in row)]


def _affordable(stage: Stage, until: float) -> int:
    """Return for how many runs of the suite there is time, with a few left for several changes at once."""
    took_s = sum(case["duration_s"] for case in stage.report["cases"] if case["outcome"] != "timeout")
    return int((until - time.monotonic()) / max(took_s, _LEAST_RUN_S)) - 2


def _covering(helpful: Sequence[Candidate]) -> list[Candidate]:
    """Return a few that mend together what all of them mend, each a case that none before it mends."""
    chosen: list[Candidate] = []
    mended: set[str] = set()
    for one in sorted(helpful, key=lambda c: (-len(c.fixes), c.cost, c.path, c.line)):
        if not mended.issuperset(one.fixes):
            chosen.append(one)
            mended.update(one.fixes)
    return chosen


async def _only_together(
    hunt: Hunt, stage: Stage, rows: Sequence[Sequence[Candidate]], done: set[str], until: float
) -> list[Candidate]:
    """Return what mends more than `done` when several changes are taken back at once, without those it can do without.

    `rows` are the changes to begin with.
    """
    wholes = [(row, whole) for row in rows if (whole := _together(stage.sources, row)) is not None]
    judged = await hunt.judge([whole for _, whole in wholes])
    more = [(row, one) for (row, _), one in zip(wholes, judged, strict=True) if not done.issuperset(one.fixes)]
    for row, whole in sorted(more, key=lambda pair: (len(pair[1].breaks), -len(pair[1].fixes), len(pair[0]))):
        best, kept = whole, [*row]
        for one in reversed(row):
            if time.monotonic() > until:
                return []
            smaller = _together(stage.sources, [other for other in kept if other is not one])
            if smaller is None:
                continue
            (tried,) = await hunt.judge([smaller])
            if {*whole.fixes} <= {*tried.fixes} and len(tried.breaks) <= len(best.breaks):
                best, kept = tried, [other for other in kept if other is not one]
        if not best.breaks and len(kept) > 1:
            return [best]
    return []


def _together(program: Mapping[str, str], row: Sequence[Candidate]) -> Candidate | None:
    """Return candidates that take back a change each as one that takes back all; None where they overlap."""
    changes = merged_files(program, [one.changes for one in row])
    if isinstance(changes, str):
        return None
    return replace(reduce(after, sorted(row, key=lambda one: (one.path, one.line))), changes=changes)
