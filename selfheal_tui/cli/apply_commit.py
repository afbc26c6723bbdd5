"""Where `sessions apply` commits to: the branch that is checked out, a new one, or a new work tree."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.timeline import Timeline
from selfheal_tui.engine.out.applying import Writing
from selfheal_tui.engine.out.before_apply import Permit
from selfheal_tui.errors import InputError

from .find import find_branch

if TYPE_CHECKING:
    from selfheal_tui.engine.history.saved_session import SavedSession
    from selfheal_tui.engine.out.committing import Committable
    from selfheal_tui.engine.out.each_repair import PartRepair


@dataclass(frozen=True, slots=True)
class Moment:
    """What is applied."""

    snapshot: Snapshot
    root: Path | None
    git_branch: str
    """The branch that git is to make; empty for none."""
    repairs: Sequence[PartRepair] = ()
    """Those that get a commit each, where that is asked for; empty for fewer than two."""
    healed: Sequence[str] = ()
    """The session's healed branches, in the order in which they were begun."""
    is_gone: bool = False
    """There is no branch any more of the name of the one that is to be put back, which the snapshot has."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a commit goes."""

    branch: str
    """A new branch; empty for the one that is checked out."""
    worktree: Path | None


async def read_moment(session: SavedSession, args: Namespace, applied: str = "") -> Moment:
    """Return the newest moment of the branch that was named. Raises: InputError for an unknown one.

    With `--undo` `applied` is the branch that was written to the folder: no other can be put back.
    """
    timeline = await session.timeline()
    if args.undo and applied and applied not in timeline.branches:  # it was deleted, or has another name
        snapshot = await session.snapshot(timeline.branches[find_branch(timeline, None)].head)
        return Moment(replace(snapshot, branch=applied), await session.root(), "", is_gone=True)
    if args.undo and applied and (other := next((one for one in args.branch if one != applied), "")):
        raise InputError(f"Branch {other} was not written: {applied} was.", "Leave out --branch to put that back.")
    own, git_branch = _told_apart(timeline, args)
    snapshot = await session.snapshot(timeline.branches[find_branch(timeline, own)].head)
    repairs: Sequence[PartRepair] = ()
    if args.each:
        from selfheal_tui.engine.out.each_repair import each_repair

        repairs = await each_repair(session, timeline, snapshot)
    healed = [one.name for one in timeline.branches.values() if one.outcome == "healed" and not one.hidden]
    return Moment(snapshot, await session.root(), git_branch, repairs, healed)


def check_worktree(args: Namespace, sessions: Path) -> None:
    """Raise InputError for `--worktree SESSION` without a session; `sessions` is the folder of all of them."""
    if not args.session and args.worktree and (sessions / args.worktree / "session.db").exists():
        raise InputError(f"{args.worktree} is a session, not a folder.", "Name it before --worktree.")


def place_of(args: Namespace, moment: Moment) -> Place | None:
    """Return where the commit goes; None without one. Raises: InputError for options that do not go together."""
    if not args.commit and args.worktree is None and not moment.git_branch:
        if args.message:
            raise InputError("--message belongs to --commit.")
        return None
    asked = "--commit" if args.commit else "--worktree" if args.worktree is not None else "--branch with a new name"
    if args.output is not None or args.undo:
        raise InputError(f"{asked} does not go with {'--undo' if args.undo else '-o'}.", "Give one of them.")
    if args.worktree is None:
        return Place(moment.git_branch, None)
    from selfheal_tui.engine.out.new_branch import beside, free_branch

    branch = moment.git_branch or free_branch(moment.root, _changed(moment.snapshot))
    return Place(branch, Path(args.worktree) if args.worktree else beside(moment.root, branch))


def plan(place: Place, writing: Writing, merge: bool) -> Committable:
    """Return the commit that would be made. Raises: InputError."""
    from selfheal_tui.engine.out.committing import plan_commit

    return plan_commit(writing.folder, writing.changes, branch=place.branch, worktree=place.worktree, merge=merge)


def fits_apart(writing: Writing) -> bool:
    """Tell whether a new branch of git could have the repair as it is, without the files that changed meanwhile."""
    from selfheal_tui.engine.out.new_branch import free_branch

    try:
        plan(Place(free_branch(writing.folder, [one.path for one in writing.changes]), None), writing, False)
    except InputError:
        return False
    return True


def make(planned: Committable, snapshot: Snapshot, writing: Writing, message: str, permit: Permit) -> tuple[str, str]:
    """Make the commit; return its short id and what was done, in words."""
    from selfheal_tui.engine.out.commit_message import commit_message
    from selfheal_tui.engine.out.committing import commit, committed_words
    from selfheal_tui.engine.out.subject import default_subject

    if not message:
        subject = default_subject(planned.changes, snapshot)
        message = commit_message(subject, snapshot, planned.changes, os.environ, str(Path.home()))
    made = commit(planned, message, permit)
    return made, committed_words(planned, made)


def make_each(
    planned: Committable, snapshot: Snapshot, writing: Writing, repairs: Sequence[PartRepair], permit: Permit
) -> tuple[list[str], str]:
    """Make a commit of each repair; return their short ids and what was done, in words."""
    from selfheal_tui.engine.out.each_repair import commit_each, each_words

    made = commit_each(writing.folder, snapshot, repairs, writing.changes, os.environ, str(Path.home()), permit)
    return made, each_words(planned, made)


def commit_told(place: Place | None, planned: Committable | None = None, made: str = "") -> dict[str, str]:
    """Return what `--json` says of the commit; empty fields where none was made, nothing where none was asked for."""
    if place is None:
        return {}
    told = {"commit": made}
    if place.branch:
        told["branch"] = place.branch
    if place.worktree is not None:
        told["worktree"] = str(planned.worktree) if planned is not None else ""
    return told


def _told_apart(timeline: Timeline, args: Namespace) -> tuple[str | None, str]:
    """Return the session's branch that was named, None for none, and git's new one."""
    if args.undo or args.output is not None:
        own, others = args.branch, []
    else:
        own = [name for name in args.branch if name in timeline.branches]
        others = [name for name in args.branch if name not in timeline.branches]
    if len(own) > 1 or len(others) > 1:
        raise InputError("--branch names at most one branch of the session and one new branch of git.")
    return own[0] if own else None, others[0] if others else ""


def _changed(snapshot: Snapshot) -> list[str]:
    return sorted(path for path, text in snapshot.program.items() if snapshot.base.get(path) != text)
