"""Tasks on the workers of a Ray cluster. Ray decides where a task runs; each is asked of it once.

What a worker has paid for is here, on disk, before its session goes on (`at_worker.py`). A task whose worker died is
asked for again and goes on from there.
"""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from selfheal_tui.cluster.asking import MOST_DEATHS, Died, on_workers, said_by_workers
from selfheal_tui.cluster.said import Broke, Kept
from selfheal_tui.engine.out.transfer.reading import read_session
from selfheal_tui.engine.out.transfer.shapes import problem
from selfheal_tui.errors import SessionError
from selfheal_tui.text import one_line

from ..figures.metrics import TaskResult
from ..saved.carried import Carried
from ..saved.journal import Journal
from ..suites.records import BenchRecord
from .at_worker import Done, Setup, work
from .runner import TaskFailed, TaskFinished

if TYPE_CHECKING:
    from selfheal_tui.store.sessions import SessionStore


class OnRay:
    """The workers of a cluster."""

    def __init__(self, ray: Any, journal: Journal, store: SessionStore, setup: Setup) -> None:
        self._ray = ray
        self._journal = journal
        self._store = store
        self._setup = setup
        self._carried = Carried(journal)
        self._shared = ray.put(setup)
        self._work = on_workers(ray, work)
        self.isolation: tuple[str, ...] = ()
        """Layers of the sandboxes there."""

    async def run(self, record: BenchRecord) -> TaskFinished | TaskFailed:
        """Run a task on a worker, on another one when that dies; its result is on disk here when this returns.

        Raises: what concerns all tasks, as SettingsError for a key that a worker lacks.
        """
        why = ""

        async def arguments() -> tuple[Any, ...]:
            return self._shared, record, self._carried.get(record.id)

        async with aclosing(said_by_workers(self._ray, self._work, arguments)) as said:
            async for word in said:
                match word:
                    case Kept(session):
                        self._carried.put(record.id, session)
                    case Broke() as broke:
                        if not broke.of_task:
                            raise broke.as_error()
                        return TaskFailed(record.id, broke.as_error())
                    case Done() as done:
                        return await self._finish(record, done)
                    case Died(why):
                        pass
        return TaskFailed(record.id, SessionError(f"{MOST_DEATHS} workers died of it, the last with {why}."))

    async def _finish(self, record: BenchRecord, done: Done) -> TaskFinished:
        result: TaskResult = {**done.result, "host": one_line(done.host, 80)}
        if why := problem(result, TaskResult, "the task"):
            raise SessionError(f"The worker {done.host} sent a result of another version: {why}.")
        if done.session:
            self._carried.put(record.id, done.session)
            result["session_id"] = (await read_session(self._store, self._carried.path(record.id))).session_id
        self._journal.append(result)
        self._carried.drop(record.id)
        self.isolation = tuple(dict.fromkeys((*self.isolation, *done.isolation)))
        return TaskFinished(result)
