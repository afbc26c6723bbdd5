"""A task at a worker on another machine, in the room that the worker has there (`cluster/room.py`).

Nothing here knows Ray: `work` is a generator of small values, the last of which is the end.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from selfheal_tui.cluster.room import Room, RoomSetup, check_keys
from selfheal_tui.cluster.said import Broke, Kept, broke
from selfheal_tui.errors import SandboxError, SelfHealError, SettingsError

from ..figures.metrics import TaskResult
from ..figures.own_metrics import load_metrics
from ..suites.cases import GivenTests
from ..suites.records import BenchRecord
from .one_task import Judged, Paid, Stuck, run_task

if TYPE_CHECKING:
    from selfheal_tui.engine.session.workbench import RunOptions


@dataclass(frozen=True, slots=True)
class Setup:
    """What is the same for all tasks of a run."""

    room: RoomSetup
    options: RunOptions
    given_tests: GivenTests
    keep: bool
    """The session is wanted back at the end too."""


@dataclass(frozen=True, slots=True)
class Done:
    """The task's end."""

    result: TaskResult
    session: bytes
    """Empty where nobody keeps it."""
    isolation: tuple[str, ...]
    host: str


Told = Kept | Done | Broke


def work(setup: Setup, record: BenchRecord, session: bytes) -> Iterator[Told]:
    """Run a task, or go on with its session; the last value is a `Done` or a `Broke`. Closing the iterator stops."""
    try:
        room = Room.of(setup.room)
        check_keys(setup.options.models.values())
    except SelfHealError as error:
        yield broke(error, of_task=False)
        return
    except OSError as error:
        yield broke(error, of_task=True)
        return
    yield from room.each(_steps(room, setup, record, session))


async def _steps(room: Room, setup: Setup, record: BenchRecord, session: bytes) -> AsyncGenerator[Told, None]:
    """Yield what is to be sent back of one task."""
    workbench, session_id = room.workbench, None
    try:
        if session:
            session_id = await room.take_in(session)
        metrics = load_metrics()
        steps = run_task(workbench, record, setup.options, setup.given_tests, session_id, metrics=metrics)
        async with aclosing(steps) as task:
            async for step in task:
                match step:
                    case Paid():
                        yield Kept(room.file(step.session_id))
                    case Stuck():
                        yield Kept(room.file(step.session_id))
                        yield broke(step.error, of_task=True)
                    case Judged():
                        kept = step.session_id if setup.keep else None
                        isolation = workbench.sandbox.isolation
                        yield Done(step.result, room.file(kept) if kept else b"", isolation, room.host)
    except SelfHealError as error:
        yield broke(error, of_task=not isinstance(error, SandboxError | SettingsError))
    except OSError as error:
        yield broke(error, of_task=True)
    finally:
        await room.clear()
