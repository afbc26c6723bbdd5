"""A commit for each repair: of each group of failing cases that was healed in its turn, else of each iteration.

A repair that was joined of several edits has a commit for each of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.store.writing import FileChange, changes_of
from selfheal_tui.text import CUT, one_line, plural

from ..moment.snapshot import HealedProgram, Snapshot
from ..moment.state import Record
from ..moment.taken import standing_repairs
from ..moment.timeline import Timeline
from ..moment.unsettled import doubts_of_snapshot
from ..moment.words import failing_cases
from .before_apply import Permit
from .commit_message import commit_message
from .committing import Committable, commit, plan_commit
from .subject import default_subject

if TYPE_CHECKING:
    from ..history.saved_session import SavedSession

_MOST_CASES = 6


@dataclass(frozen=True, slots=True)
class PartRepair:
    """What one of several repairs changes."""

    heals: str
    """Which failing cases it heals, a sentence."""
    before: Mapping[str, str]
    """Program path -> text."""
    after: Mapping[str, str]
    changes: tuple[FileChange, ...]


async def each_repair(session: SavedSession, timeline: Timeline, snapshot: Snapshot) -> list[PartRepair]:
    """Return the repairs that the program of a moment is made of, in order; none for fewer than two."""
    # Not the group's own words: they name a function that the cases call, which the repair need not touch.
    groups = [replace(one, words=_cases(one.cases) if one.cases else one.words) for one in snapshot.healed_groups]
    for healed in (groups, await _steps(session, timeline, snapshot)):
        if parts := in_parts(snapshot, in_steps(snapshot, healed)):
            return parts
    return []


def in_steps(snapshot: Snapshot, healed: Sequence[HealedProgram]) -> list[HealedProgram]:
    """Return the programs, those that end with a joined repair as one for each of its edits."""
    steps: list[HealedProgram] = []
    before = snapshot.base
    for one in healed:
        steps += _edits_of(snapshot.records, before, one)
        before = one.program
    return steps


def _edits_of(records: Sequence[Record], before: Mapping[str, str], healed: HealedProgram) -> list[HealedProgram]:
    after = dict(healed.program)
    for record in records:
        steps = record["taken"].get("steps", []) if "taken" in record else []
        whole = steps[-1]["changes"] if steps else {}
        if whole and after == {**after, **whole} and any(before.get(path) != text for path, text in whole.items()):
            programs = [*({**before, **step["changes"]} for step in steps[:-1]), after]
            return [HealedProgram(_cases(step["mends"]), now) for step, now in zip(steps, programs, strict=True)]
    return [healed]


def in_parts(snapshot: Snapshot, healed: Sequence[HealedProgram]) -> list[PartRepair]:
    """Return what each step to the program changes, the last with what came after it; none for fewer than two."""
    if not healed:
        return []
    programs = [snapshot.base, *(one.program for one in healed[:-1]), snapshot.program]
    parts = [
        PartRepair(f"Heals {one.words}", before, after, changes)
        for one, (before, after) in zip(healed, pairwise(programs), strict=True)
        if (changes := _changes(before, after))
    ]
    return parts if len(parts) > 1 else []


async def _steps(session: SavedSession, timeline: Timeline, snapshot: Snapshot) -> list[HealedProgram]:
    """Return the program after each repair with which more cases passed than ever before, and the cases it mended."""
    steps: list[HealedProgram] = []
    failing: set[str] = set()
    most_passed = -1
    for moment in timeline.lineage(snapshot.checkpoint_id):
        if moment.node != "run_suite" or moment.passed is None or moment.passed <= most_passed:
            continue
        now = await session.snapshot(moment.id)
        if now.report is None:
            continue
        passed = [case["id"] for case in now.report["cases"] if case["outcome"] == "passed"]
        if mended := [case for case in passed if case in failing]:
            steps.append(HealedProgram(_cases(mended), now.program))
        if mended or most_passed < 0:
            failing = {case["id"] for case in failing_cases(now.report)}
        most_passed = moment.passed
    return steps


def _cases(cases: Sequence[str]) -> str:
    # A name that is cut names nothing: one that is too long is counted.
    named = [words for case in cases if CUT not in (words := one_line(case, 120))][:_MOST_CASES]
    more = [f"and {len(cases) - len(named)} more"] if named and len(cases) > len(named) else []
    return f"{plural(len(cases), 'failing case')}{': ' if named else ''}{' '.join([', '.join(named), *more])}"


def commit_each(
    folder: Path,
    snapshot: Snapshot,
    repairs: Sequence[PartRepair],
    written: Sequence[FileChange],
    environ: Mapping[str, str],
    home: str,
    permit: Permit,
) -> list[str]:
    """Make a commit of each repair on the branch that is checked out; return their short ids. Raises: InputError.

    What is `written` and no part of a repair, as new tests, goes with the last one: with it they pass.
    """
    made = []
    doubts = _doubts_of_each(snapshot, repairs)
    healed = {change.path for repair in repairs for change in repair.changes}
    beside = [change for change in written if change.path not in healed]
    for repair, own_doubts in zip(repairs, doubts, strict=True):
        changes = (*repair.changes, *(beside if repair is repairs[-1] else ()))
        planned = plan_commit(folder, changes)
        message = commit_message(
            default_subject(repair.changes),
            replace(snapshot, base=repair.before, program=repair.after),
            changes,
            environ,
            home,
            heals=repair.heals,
            with_next=repair is not repairs[-1],
            doubts=own_doubts,
        )
        made.append(commit(planned, message, permit))
    return made


def _doubts_of_each(snapshot: Snapshot, repairs: Sequence[PartRepair]) -> list[list[str]]:
    """Return what speaks against each repair; what is about none of them alone is about the last, the whole program."""
    left, told = doubts_of_snapshot(snapshot), list[list[str]]()
    for repair in repairs[:-1]:
        standing = {one.doubt for one in standing_repairs(snapshot.records, repair.before, repair.after)}
        told.append([doubt for doubt in left if doubt in standing])
        left = [doubt for doubt in left if doubt not in standing]
    return [*told, left]


def each_words(planned: Committable, made: Sequence[str]) -> str:
    """Say what was done, and how it is taken back."""
    where = f" on {planned.line}" if planned.line else ""
    back = f"git revert {' '.join(reversed(made))}"
    return f"Committed {', '.join(made)}{where}: a commit for each repair. No git hook ran. Take it back: {back}"


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[FileChange, ...]:
    return tuple(change for change in changes_of(before, after) if change.before is not None)
