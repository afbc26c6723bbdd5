"""A commit for each group of failing cases that was healed in its turn. Blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.store.writing import FileChange, changes_of

from ..moment.snapshot import Snapshot
from .commit_message import commit_message, default_subject
from .committing import Committable, commit, plan_commit


@dataclass(frozen=True, slots=True)
class GroupRepair:
    """What one group's repair changes."""

    words: str
    """What the group was."""
    before: Mapping[str, str]
    """Program path -> text."""
    after: Mapping[str, str]
    changes: tuple[FileChange, ...]


def group_repairs(snapshot: Snapshot) -> list[GroupRepair]:
    """Return the repair of each group in order, the last with what came after it; none for fewer than two."""
    groups = snapshot.healed_groups
    if not groups:
        return []
    programs = [snapshot.base, *(group.program for group in groups[:-1]), snapshot.program]
    repairs = [
        GroupRepair(group.words, before, after, changes)
        for group, (before, after) in zip(groups, pairwise(programs), strict=True)
        if (changes := _changes(before, after))
    ]
    return repairs if len(repairs) > 1 else []


def check_each(snapshot: Snapshot) -> list[GroupRepair]:
    """Return the repair of each group. Raises: InputError where there are not several."""
    if repairs := group_repairs(snapshot):
        return repairs
    raise InputError(
        "This session has no repairs of several groups: nothing was committed.", "Commit it as one: --commit."
    )


def commit_each(
    folder: Path, snapshot: Snapshot, repairs: Sequence[GroupRepair], environ: Mapping[str, str], home: str
) -> list[str]:
    """Make a commit of each repair on the branch that is checked out; return their short ids. Raises: InputError."""
    made = []
    for repair in repairs:
        planned = plan_commit(folder, repair.changes)
        message = commit_message(
            default_subject(repair.changes),
            replace(snapshot, base=repair.before, program=repair.after),
            repair.changes,
            environ,
            home,
            group=repair.words,
            with_next=repair is not repairs[-1],
        )
        made.append(commit(planned, message))
    return made


def each_words(planned: Committable, made: Sequence[str]) -> str:
    """Say what was done, and how it is taken back."""
    where = f" on {planned.line}" if planned.line else ""
    back = f"git revert {' '.join(reversed(made))}"
    return f"Committed {', '.join(made)}{where}: a commit for each group. No hook ran. Take it back: {back}"


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[FileChange, ...]:
    return tuple(change for change in changes_of(before, after) if change.before is not None)
