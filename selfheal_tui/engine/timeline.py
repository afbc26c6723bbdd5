"""The tree of checkpoints: pure values; drawn from parent ids, never from clocks or id order.

c1 - c2 - c3 - c4 (main)
        `- c5 - c6 (branch-2)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

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
    """`kind`, `verdict`, `note`, `by` of the decision that this node took; None for other nodes."""
    pending: ReviewKind | None
    """The question that waits here, unanswered; None when none does."""
    outcome: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of checkpoints."""

    name: str
    head: str
    """Newest checkpoint's id."""
    forked_from: str | None
    """Checkpoint of another branch that it starts from; None for the first branch."""
    outcome: str
    """healed, waiting, gave_up... or `running` when it ends in neither an outcome nor a question."""
    note: str = ""
    """What the user wrote about it."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """All checkpoints of a session, in the order they were written."""

    checkpoints: Mapping[str, Checkpoint]
    children: Mapping[str, tuple[str, ...]]
    branches: Mapping[str, Branch]

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


def build_timeline(checkpoints: Iterable[Checkpoint], notes: Mapping[str, str] | None = None) -> Timeline:
    """Build the tree; `checkpoints` in the order they were written, `notes` by the branch's name."""
    by_id = {c.id: c for c in checkpoints}
    children: dict[str, list[str]] = {}
    heads: dict[str, Checkpoint] = {}
    forked_from: dict[str, str | None] = {}
    for c in by_id.values():
        if c.parent_id is not None:
            children.setdefault(c.parent_id, []).append(c.id)
        if c.branch not in forked_from:
            parent = by_id.get(c.parent_id or "")
            forked_from[c.branch] = parent.id if parent and parent.branch != c.branch else None
        heads[c.branch] = c
    said = notes or {}
    branches = {
        name: Branch(
            name,
            head.id,
            forked_from[name],
            "waiting" if head.pending else head.outcome or "running",
            said.get(name, ""),
        )
        for name, head in heads.items()
    }
    return Timeline(by_id, {k: tuple(v) for k, v in children.items()}, branches)
