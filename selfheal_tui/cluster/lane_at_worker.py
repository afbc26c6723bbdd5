"""A lane of a race at a worker: it goes on in a copy of the session, and what it does is sent home as it comes.

Knows no Ray: `run_lane` is a generator of values, the last of which is the end.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass

from selfheal_tui.engine.moment.events import (
    CallFinished,
    CheckpointSaved,
    Event,
    ReviewRequested,
    RunFailed,
    RunFinished,
    ThoughtStreamed,
    TokenStreamed,
)
from selfheal_tui.engine.session.race import LaneAway
from selfheal_tui.errors import SandboxError, SelfHealError, SettingsError

from .room import Room, RoomSetup, check_keys
from .said import Broke, Kept, broke

_TEXT_EACH_S = 0.25
"""Texts of a model are sent together: each value that is sent waits until it was taken."""
_MOMENTS_EACH_S = 1.0
"""A moment that cost no call is sent with the next ones when it comes sooner: the whole session goes each time."""


@dataclass(frozen=True, slots=True)
class SentLane:
    """A lane as it is sent to a worker."""

    away: LaneAway
    prompts: Mapping[str, str] | None
    """File name -> text of its own prompts; None for those of the others."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What the lane told, without its moments."""

    events: tuple[Event, ...]
    session: bytes | None = None
    """The session as a file, where a call of these was paid: no call is told that did not come home with it."""


@dataclass(frozen=True, slots=True)
class Rested:
    """The lane asks, or has ended: its session was sent just before."""

    host: str


LaneSays = Kept | Heard | Rested | Broke


def run_lane(setup: RoomSetup, lane: SentLane, session: bytes) -> Iterator[LaneSays]:
    """Run a lane to its next question or end; the last value is `Rested` or `Broke`. Closing the iterator stops it."""
    try:
        room = Room.of(setup)
    except (SelfHealError, OSError) as error:
        yield broke(error, of_task=False)
        return
    yield from room.each(_steps(room, lane, session))


async def _steps(room: Room, lane: SentLane, session: bytes) -> AsyncGenerator[LaneSays, None]:
    try:
        session_id = await room.take_in(session)
        prompts = None
        if lane.prompts is not None:
            name = hashlib.sha256(lane.away.branch.encode("utf-8", "surrogatepass")).hexdigest()[:20]
            prompts = room.prompts(f"prompts-{name}", lane.prompts)
        async with room.workbench.open_session(session_id) as copy:
            branch = lane.away.branch
            check_keys((await copy.snapshot(await copy.head(branch) or "")).models.values())
            async with aclosing(copy.run_lane(lane.away, prompts)) as events:
                async for said in _sent(room, session_id, events):
                    yield said
    except SelfHealError as error:
        yield broke(error, of_task=not isinstance(error, SandboxError | SettingsError))
    except OSError as error:
        yield broke(error, of_task=True)
    finally:
        await room.clear()


async def _sent(room: Room, session_id: str, events: AsyncGenerator[Event, None]) -> AsyncGenerator[LaneSays, None]:
    """Turn a lane's events into what is sent: the session after each paid call, and after moments."""
    texts: list[Event] = []
    texts_at = kept_at = time.monotonic()
    async for event in events:
        now = time.monotonic()
        match event:
            case TokenStreamed() | ThoughtStreamed():
                texts.append(event)
                if now - texts_at < _TEXT_EACH_S:
                    continue
                texts_at = now
                yield Heard(tuple(texts))
                texts = []
            case CheckpointSaved():
                if now - kept_at >= _MOMENTS_EACH_S:
                    yield Kept(room.file(session_id))
                    kept_at = time.monotonic()
            case RunFailed():
                yield Kept(room.file(session_id))
                yield broke(event.error, of_task=not isinstance(event.error, SandboxError | SettingsError))
                return
            case ReviewRequested() | RunFinished():
                yield Kept(room.file(session_id))
            case CallFinished(replayed=False):
                yield Heard((*texts, event), room.file(session_id))
                texts = []
                kept_at = time.monotonic()
            case _:
                yield Heard((*texts, event))
                texts = []
    yield Rested(room.host)
