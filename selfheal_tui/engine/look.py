"""Looking at a whole session: two moments side by side, a branch as a story. Reads only."""

from __future__ import annotations

from typing import Any

from selfheal_tui.errors import InputError

from .compare import Comparison, compare
from .export.story import StoryTeller
from .matrix import suite_runs
from .session import Session


async def compare_moments(session: Session, a: str, b: str) -> Comparison:
    """Compare two checkpoints by id. Raises: InputError for an unknown id, SessionError when damaged."""
    timeline = await session.timeline()
    one, other = await session.snapshot(a), await session.snapshot(b)
    ids = dict.fromkeys([*suite_runs(timeline, a), *suite_runs(timeline, b)])
    return compare(timeline, one, other, {run: await session.snapshot(run) for run in ids})


async def tell_story(session: Session, branch: str) -> dict[str, Any]:
    """Return what happened on a branch, from the root on (shape: `export/story.py`).

    Raises: InputError for an unknown branch, SessionError when damaged.
    """
    timeline = await session.timeline()
    if branch not in timeline.branches:
        raise InputError(f"There is no branch {branch!r}.", f"There are: {', '.join(timeline.branches) or 'none yet'}.")
    teller = StoryTeller()
    for checkpoint in timeline.lineage(timeline.branches[branch].head):
        teller.add(checkpoint, await session.snapshot(checkpoint.id))
    return teller.story(session.id, timeline, await session.usage(), await session.calls())
