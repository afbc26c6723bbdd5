"""Which events of a run the user's hooks are told of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ..moment.budget import notice
from ..moment.events import CheckpointSaved, Event, LaneTold, ReviewRequested, RunFailed, RunFinished
from ..moment.snapshot import Snapshot
from ..moment.timeline import Checkpoint, with_own_decision
from .hook_story import SessionPlace, asked_story, budget_story, decided_story, ended_story, failed_story
from .hooks import Hooks


class HookWatch:
    """Hears the events of one run. A question or an end that is only shown again is not told again."""

    def __init__(
        self,
        hooks: Hooks,
        place: SessionPlace,
        before: Snapshot | None,
        checkpoint: Callable[[str], Awaitable[Checkpoint]],
    ) -> None:
        """`before` is the moment that the run goes on from, where it is needed to tell what is new."""
        self._hooks, self._place, self._checkpoint = hooks, place, checkpoint
        self._newest: dict[str, Snapshot] = {}
        """Branch -> the newest moment that this run saved."""
        self._near = bool(before and notice(before.limits, before.spent))

    async def told(self, event: Event) -> None:
        """Tell the hooks that are about this event."""
        match event:
            case LaneTold(branch, CheckpointSaved() as begun) if branch not in self._newest:
                self._newest[branch] = begun.snapshot  # where the lane starts, or has come to rest before
            case LaneTold(branch, RunFailed() as failed):
                self._failed(failed, self._newest.get(branch))
            case LaneTold():
                await self.told(event.event)
            case CheckpointSaved():
                await self._saved(event)
            case ReviewRequested() if event.branch in self._newest:
                snapshot = event.snapshot
                self._hooks.tell(asked_story(self._place, event.checkpoint_id, event.kind, snapshot), snapshot)
            case RunFinished() if event.snapshot.branch in self._newest and event.snapshot.outcome:
                for name in ("healed", "ended") if event.snapshot.outcome == "healed" else ("ended",):
                    self._hooks.tell(ended_story(name, self._place, event.snapshot), event.snapshot)
            case RunFailed():
                self._failed(event, next(reversed(self._newest.values()), None))

    def _failed(self, event: RunFailed, newest: Snapshot | None) -> None:
        self._hooks.tell(failed_story(self._place, newest, event.error.message), newest)

    async def _saved(self, event: CheckpointSaved) -> None:
        checkpoint, snapshot = event.checkpoint, event.snapshot
        is_first = checkpoint.branch not in self._newest
        self._newest.pop(checkpoint.branch, None)
        self._newest[checkpoint.branch] = snapshot
        if is_first and checkpoint.decision is not None and checkpoint.parent_id:
            # A fork goes on from a decision that was told when it was taken.
            checkpoint = with_own_decision(checkpoint, await self._checkpoint(checkpoint.parent_id))
        if checkpoint.decision is not None:
            self._hooks.tell(decided_story(self._place, checkpoint, snapshot), snapshot)
        if not self._near and not snapshot.outcome and notice(snapshot.limits, snapshot.spent):
            self._near = True
            self._hooks.tell(budget_story(self._place, snapshot), snapshot)
