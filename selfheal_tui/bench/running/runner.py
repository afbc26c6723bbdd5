"""Runs the tasks of a suite through the real loop, several at a time; an iterator of what happens.

Each task is a session in full autonomy. Finished ones are on disk before they are told of; an unfinished session is
left where it is, so that a later run goes on with it and pays for no reply twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from selfheal_tui.errors import SelfHealError

from ..figures.metrics import TaskResult
from ..figures.own_metrics import Metric, load_metrics
from ..saved.carried import take_in_carried
from ..saved.journal import Journal
from ..suites.cases import GivenTests
from ..suites.records import BenchRecord
from .one_task import Judged, Stuck, Told, run_task
from .shelf import Shelf

if TYPE_CHECKING:
    from selfheal_tui.engine.session.workbench import RunOptions, Workbench

_FAILURES_IN_A_ROW = 3
"""A provider that failed this often without a task between is gone, not unlucky."""


@dataclass(frozen=True, slots=True)
class TaskStarted:
    """A task's session runs."""

    id: str


@dataclass(frozen=True, slots=True)
class TaskFinished:
    """A task has its verdict, and is on disk."""

    result: TaskResult


@dataclass(frozen=True, slots=True)
class TaskFailed:
    """A task could not go on; it has no verdict, and a resumed run tries it again."""

    id: str
    error: SelfHealError


BenchEvent = TaskStarted | TaskFinished | TaskFailed


class Place(Protocol):
    """Where tasks run: here, or elsewhere."""

    async def run(self, record: BenchRecord) -> TaskFinished | TaskFailed:
        """Run a task to its verdict, which is on disk when this returns."""


async def run_bench(
    workbench: Workbench,
    records: tuple[BenchRecord, ...],
    options: RunOptions,
    journal: Journal,
    *,
    given_tests: GivenTests = "visible",
    jobs: int = 1,
    keep: bool = False,
    told: Told | None = None,
    shelf: Shelf | None = None,
) -> AsyncGenerator[BenchEvent, None]:
    """Run here what the journal has not finished yet. Closing the iterator stops; sessions keep what they have saved.

    `told` hears every event of every session; replies may lie on a `shelf`.
    Raises: ProviderError when the model is gone, SandboxError, SessionError.
    """
    metrics = load_metrics()
    await take_in_carried(workbench, journal)
    unfinished = await _left_over(workbench, journal)
    here = _Here(workbench, options, journal, given_tests, keep, unfinished, metrics, told, shelf)
    async with contextlib.aclosing(run_tasks(here, records, journal, jobs=jobs, keep=keep)) as events:
        async for event in events:
            yield event


async def run_tasks(
    place: Place, records: tuple[BenchRecord, ...], journal: Journal, *, jobs: int, keep: bool
) -> AsyncGenerator[BenchEvent, None]:
    """Run what the journal has not finished yet at some place, so many tasks at a time."""
    waiting = iter([record for record in records if record.id not in journal.results])
    running: dict[asyncio.Task[TaskFinished | TaskFailed], str] = {}
    failures = 0
    try:
        while True:
            while len(running) < jobs and (record := next(waiting, None)) is not None:
                yield TaskStarted(record.id)
                running[asyncio.create_task(_run(place, record))] = record.id
            if not running:
                break
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                del running[task]
                ended = task.result()
                yield ended
                failures = failures + 1 if isinstance(ended, TaskFailed) else 0
                if isinstance(ended, TaskFailed) and failures >= _FAILURES_IN_A_ROW:
                    raise ended.error
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    if not keep and all(record.id in journal.results for record in records):
        shutil.rmtree(journal.sessions, ignore_errors=True)


async def _left_over(workbench: Workbench, journal: Journal) -> dict[str, str]:
    """Return task id -> the session that a stopped run left; removes those that were done with."""
    session_ids: dict[str, str] = {}
    for row in reversed(workbench.list_sessions()):
        if row.title not in journal.results:
            session_ids[row.title] = row.session_id
        elif journal.results[row.title].get("session_id") != row.session_id:
            await workbench.delete_session(row.session_id)
    return session_ids


async def _run(place: Place, record: BenchRecord) -> TaskFinished | TaskFailed:
    return await place.run(record)


@dataclass(frozen=True, slots=True)
class _Here:
    """This process."""

    workbench: Workbench
    options: RunOptions
    journal: Journal
    given_tests: GivenTests
    keep: bool
    unfinished: Mapping[str, str]
    """Task id -> the session that a stopped run left."""
    metrics: Mapping[str, Metric]
    told: Told | None
    shelf: Shelf | None

    async def run(self, record: BenchRecord) -> TaskFinished | TaskFailed:
        """Run a task in a session of the run's folder."""
        session_id = self.unfinished.get(record.id)
        steps = run_task(
            self.workbench,
            record,
            self.options,
            self.given_tests,
            session_id,
            metrics=self.metrics,
            told=self.told,
            shared=self.shelf.of_task(record.id) if self.shelf is not None else None,
        )
        async with contextlib.aclosing(steps) as task:
            async for step in task:
                match step:
                    case Stuck():
                        return TaskFailed(record.id, step.error)
                    case Judged():
                        return await self._finish(step)
        raise AssertionError("a task ends with its verdict")

    async def _finish(self, judged: Judged) -> TaskFinished:
        if judged.session_id is not None and self.keep:
            judged.result["session_id"] = judged.session_id
        self.journal.append(judged.result)
        if judged.session_id is not None and not self.keep:
            await self.workbench.delete_session(judged.session_id)
        return TaskFinished(judged.result)
