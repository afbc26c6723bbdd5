"""A run is consumed in one way, whoever drives it: each event is told, its generator closed, its end kept."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import NamedTuple, cast

from ..moment.events import CheckpointSaved, Event
from ..moment.snapshot import Snapshot


class Followed(NamedTuple):
    """How a run ended."""

    last: Event | None
    newest: Snapshot | None
    """The newest moment that it saved; None where it saved none."""


async def follow_run(events: AsyncIterator[Event], hear: Callable[[Event], Awaitable[object]]) -> Followed:
    """Consume a run to its end or its next question; `hear` gets each event, and what it raises ends the run."""
    last: Event | None = None
    newest: Snapshot | None = None
    async with aclosing(cast("AsyncGenerator[Event, None]", events)) as run:
        async for event in run:
            last = event
            if isinstance(event, CheckpointSaved):
                newest = event.snapshot
            await hear(event)
    return Followed(last, newest)
