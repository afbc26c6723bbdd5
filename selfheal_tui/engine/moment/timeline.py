"""The tree of checkpoints: pure values; drawn from parent ids, never from clocks or id order.

c1 - c2 - c3 - c4 (main)
        `- c5 - c6 (edit-1)
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from .review import ReviewKind


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One saved moment."""

    id: str
    parent_id: str | None
    branch: str
    step: int
    node: str
    """The node that has just ended; `start` for the input."""
    next: tuple[str, ...]
    """Nodes that run next; empty at an end."""
    iteration: int
    created_at: str
    passed: int | None
    """Cases passed in the newest report; None before the first."""
    failed: int | None
    """Cases not passed (failed, error, timeout)."""
    decision: Mapping[str, str] | None
    """`kind`, `verdict`, `note`, `by` of the decision that this node took, `together` (`1, 3`) where it took several
    candidates, and how many `comments` go with it, if any; None for other nodes."""
    pending: ReviewKind | None
    """The question that waits here, unanswered; None when none does."""
    outcome: str
    spent: tuple[int, int, float | None, float] | None = None
    """Calls, tokens, dollars (None: unknown) and seconds used up to here; None where it was not noted."""
    gist: str = ""
    """What this node did, in few words; empty where its name says it, and in sessions of before."""
    heard: str = ""
    """The notes that this step read, shortened; empty when it read none."""


@dataclass(frozen=True, slots=True)
class BranchMark:
    """What was said of a branch."""

    note: str = ""
    pinned: bool = False
    hidden: str = ""
    """Why it is not shown: `you`, `undone`, `race` (another lane was kept), `deleted` (gone when the session closes);
    empty when it is shown."""


TAKEN_BACK = ("undone", "deleted")
"""Values of `hidden` of a branch that holds no longer."""
_UNMARKED = BranchMark()


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of checkpoints."""

    name: str
    head: str
    """Newest checkpoint's id."""
    forked_from: str | None
    """Checkpoint of another branch that it starts from; None for the first branch."""
    outcome: str
    """healed, nothing_to_heal, waiting, gave_up... or `running` when it ends in neither an outcome nor a question."""
    note: str = ""
    """What the user wrote about it."""
    pinned: bool = False
    hidden: str = ""
    """As in BranchMark."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """All checkpoints of a session, in the order they were written."""

    checkpoints: Mapping[str, Checkpoint]
    children: Mapping[str, tuple[str, ...]]
    branches: Mapping[str, Branch]
    marks: Mapping[str, BranchMark] = field(default_factory=dict)
    """By the branch's name."""
    stands: str = ""
    """The branch on which the session goes on."""

    def plus(self, checkpoint: Checkpoint, stands: str) -> Timeline:
        """Return the timeline with one more moment, or one that says more than before; the session stands on `stands`.

        As `build_timeline` over all of them would, without looking at each: a run of thousands tells of every one.
        """
        parent = self.checkpoints.get(checkpoint.parent_id or "")
        by_id = dict(self.checkpoints)
        if parent is not None and parent.pending is not None and parent.branch == checkpoint.branch:
            by_id[parent.id] = replace(parent, pending=None)
        checkpoint = with_own_decision(checkpoint, parent)
        by_id[checkpoint.id] = checkpoint
        if checkpoint.id in self.checkpoints:
            return build_timeline(by_id.values(), self.marks, stands)
        name, children = checkpoint.branch, dict(self.children)
        if checkpoint.parent_id is not None:
            children[checkpoint.parent_id] = (*children.get(checkpoint.parent_id, ()), checkpoint.id)
        if branch := self.branches.get(name):
            start = branch.forked_from
        else:
            start = parent.id if parent and parent.branch != name else None
        branches = {**self.branches, name: _branch(checkpoint, start, self.marks.get(name, _UNMARKED))}
        return Timeline(by_id, children, branches, self.marks, stands if stands in branches else name)

    def lineage(self, checkpoint_id: str) -> tuple[Checkpoint, ...]:
        """Return the checkpoints from the root to this one, oldest first."""
        path: list[Checkpoint] = []
        at: str | None = checkpoint_id
        while at is not None and at in self.checkpoints:
            path.append(self.checkpoints[at])
            at = self.checkpoints[at].parent_id
        return tuple(reversed(path))

    def is_head(self, checkpoint_id: str) -> bool:
        """Tell whether nothing follows this checkpoint."""
        return not self.children.get(checkpoint_id)

    def __iter__(self) -> Iterator[Checkpoint]:
        return iter(self.checkpoints.values())


def has_run(timeline: Timeline, branch: str) -> bool:
    """Tell whether a branch has more than the moment that a fork begins with."""
    line = timeline.branches[branch]
    parent = timeline.checkpoints[line.head].parent_id
    return line.forked_from is None or parent != line.forked_from


def build_timeline(
    checkpoints: Iterable[Checkpoint], marks: Mapping[str, BranchMark] | None = None, stands: str = ""
) -> Timeline:
    """Build the tree; `checkpoints` in the order they were written, `marks` by the branch's name.

    The session stands where it wrote last, unless `stands` names a branch that is there.
    """
    by_id: dict[str, Checkpoint] = {}
    for c in checkpoints:
        by_id[c.id] = with_own_decision(c, by_id.get(c.parent_id or ""))
    children: dict[str, list[str]] = {}
    heads: dict[str, Checkpoint] = {}
    forked_from: dict[str, str | None] = {}
    last = ""
    for c in by_id.values():
        if c.parent_id is not None:
            children.setdefault(c.parent_id, []).append(c.id)
        if c.branch not in forked_from:
            parent = by_id.get(c.parent_id or "")
            forked_from[c.branch] = parent.id if parent and parent.branch != c.branch else None
        heads[c.branch] = c
        last = c.branch
    by_name = marks or {}
    branches = {name: _branch(head, forked_from[name], by_name.get(name, _UNMARKED)) for name, head in heads.items()}
    here = stands if stands in branches else last
    return Timeline(by_id, {k: tuple(v) for k, v in children.items()}, branches, by_name, here)


def with_own_decision(checkpoint: Checkpoint, parent: Checkpoint | None) -> Checkpoint:
    """Leave out a decision that a fork only goes on from: it was taken once, at the moment where the fork starts."""
    if checkpoint.decision is None or parent is None or parent.branch == checkpoint.branch:
        return checkpoint
    repeats = parent.node == checkpoint.node and parent.decision == checkpoint.decision
    return replace(checkpoint, decision=None) if repeats else checkpoint


def _branch(head: Checkpoint, forked_from: str | None, mark: BranchMark) -> Branch:
    outcome = "waiting" if head.pending else head.outcome or "running"
    return Branch(head.branch, head.id, forked_from, outcome, mark.note, mark.pinned, mark.hidden)


@contextmanager
def uncollected() -> Iterator[None]:
    """Make many objects that all stay: looking for garbage among them took a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
