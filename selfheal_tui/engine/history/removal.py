"""Taking deleted branches off disk: which ones may go, and all of them at once when a session is closed."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.store.branch_removal import (
    open_to_remove,
    read_branches,
    read_deleted,
    read_open_decisions,
    read_parents,
    remove_branches,
)
from selfheal_tui.store.history import MAIN
from selfheal_tui.store.sessions import DB_NAME
from selfheal_tui.text import plural

from .check import unnamed_bodies


@dataclass(frozen=True, slots=True)
class Removed:
    """What a removal took away."""

    checkpoints: int
    bodies: int
    freed_bytes: int
    """On disk."""


def check_deletable(folder: Path, name: str, deleted: Collection[str] = ()) -> str:
    """Check that nothing needs a branch except branches in `deleted`; return the branch that it starts from.

    Whether all of the session can be read is known since it was opened. Raises: InputError when something does.
    """
    with open_to_remove(folder / DB_NAME) as connection:
        return _origin(connection, read_branches(connection), name, deleted)


def purge(folder: Path) -> Removed:
    """Remove the branches that are marked as deleted, and what only they named; free the disk.

    The caller holds the session's lock and is done writing.
    """
    path = folder / DB_NAME
    with open_to_remove(path) as connection:
        deleted = read_deleted(connection)
        branches = read_branches(connection) if deleted else {}
        marked = {name: branches[name] for name in deleted if name in branches}
        going = _unneeded(marked, read_parents(connection)) if marked else {}
        if not going:
            return Removed(0, 0, 0)
        before = path.stat().st_size
        bodies = remove_branches(connection, going, partial(unnamed_bodies, session_id=folder.name))
        return Removed(sum(map(len, going.values())), bodies, before - path.stat().st_size)


def _unneeded(branches: dict[str, list[str]], parents: Mapping[str, str | None]) -> dict[str, list[str]]:
    """Leave out what a branch that stays starts from: it was forked, or brought back, after the deletion."""
    while True:
        going = {checkpoint_id for ids in branches.values() for checkpoint_id in ids}
        needed = {parent for checkpoint_id, parent in parents.items() if checkpoint_id not in going} & going
        if not needed:
            return branches
        branches = {name: ids for name, ids in branches.items() if not needed & set(ids)}


def _origin(
    connection: sqlite3.Connection, branches: Mapping[str, Collection[str]], name: str, deleted: Collection[str]
) -> str:
    if name == MAIN or name == next(iter(branches)):
        raise InputError(
            f"Branch {name!r} is where the session began.", "Delete the session: selfheal sessions delete SESSION"
        )
    own, parents = set(branches[name]), read_parents(connection)
    after = {checkpoint_id for checkpoint_id, parent in parents.items() if parent in own} - own
    dependents = sorted(other for other, ids in branches.items() if after & set(ids) and other not in deleted)
    if dependents:
        raise InputError(
            f"{plural(len(dependents), 'branch starts', 'branches start')} from {name!r}: {', '.join(dependents)}.",
            "Delete those first.",
        )
    if any(branch == name or asked_at in own for asked_at, branch in read_open_decisions(connection)):
        raise InputError(
            f"A decision on {name!r} has not taken effect yet.", "Let it: selfheal resume SESSION --headless"
        )
    starts = {parents[checkpoint_id] for checkpoint_id in own} - own
    return next((other for other, ids in branches.items() if starts & set(ids)), MAIN)
