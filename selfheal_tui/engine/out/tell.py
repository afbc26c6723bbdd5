"""Looking at a whole session: two moments side by side, a branch as a story, all decisions. Reads only."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from selfheal_tui.errors import InputError

from ..history.calls import calls_at, calls_until
from ..history.compare import Comparison, compare
from ..history.matrix import suite_runs
from ..history.saved_session import SavedSession
from ..moment.timeline import Timeline
from .export.decisions import decision_record, is_decision, maker, next_runs
from .export.story import StoryTeller, recorded_call, told_call


async def compare_moments(session: SavedSession, a: str, b: str) -> Comparison:
    """Compare two checkpoints by id. Raises: InputError for an unknown id, SessionError when damaged."""
    timeline = await session.timeline()
    one, other = await session.snapshot(a), await session.snapshot(b)
    ids = dict.fromkeys([*suite_runs(timeline, a), *suite_runs(timeline, b)])
    return compare(timeline, one, other, {run: await session.snapshot(run) for run in ids})


async def tell_story(session: SavedSession, branch: str) -> dict[str, Any]:
    """Return what happened on a branch, from the root on (shape: `export/story.py`).

    Raises: InputError for an unknown branch, SessionError when damaged.
    """
    timeline = await session.timeline()
    _check_known(timeline, branch)
    teller = StoryTeller()
    for checkpoint in timeline.lineage(timeline.branches[branch].head):
        teller.add(checkpoint, await session.snapshot(checkpoint.id))
    calls = [told_call(call) for call in await calls_until(session, timeline.branches[branch].head)]
    if not await session.askers():
        calls = [recorded_call(call) for call in await session.calls()]
    return teller.story(session.id, timeline, await session.usage(), calls)


async def tell_decisions(session: SavedSession, branch: str | None = None) -> AsyncGenerator[dict[str, Any], None]:
    """Yield each decision, in the order they were written (shape: docs/decisions.md); `branch`: only those behind it.

    Raises: InputError for an unknown branch, SessionError when damaged.
    """
    timeline = await session.timeline()
    moments = list(timeline)
    if branch is not None:
        _check_known(timeline, branch)
        moments = list(timeline.lineage(timeline.branches[branch].head))
    runs = next_runs(timeline)
    for checkpoint in moments:
        if not is_decision(timeline, checkpoint) or checkpoint.parent_id is None:
            continue
        decided = await session.snapshot(checkpoint.id)
        run, made_at = runs.get(checkpoint.id), maker(timeline, checkpoint)
        yield decision_record(
            session.id,
            checkpoint,
            await session.snapshot(checkpoint.parent_id),
            decided,
            await session.snapshot(run) if run else None,
            await session.edit_of(decided) if checkpoint.decision else None,
            await calls_at(session, made_at.id) if made_at else [],
        )


def _check_known(timeline: Timeline, branch: str) -> None:
    if branch not in timeline.branches:
        raise InputError(f"There is no branch {branch!r}.", f"There are: {', '.join(timeline.branches) or 'none yet'}.")
