"""Runs the tasks of a suite through the real loop, several at a time; an iterator of what happens.

Each task is a session in full autonomy. Finished ones are on disk before they are told of; an unfinished session is
left where it is, so that a later run goes on with it and pays for no reply twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from selfheal_tui.engine.moment.events import CheckpointSaved, Event, NodeStarted, RunFailed, SearchProgressed
from selfheal_tui.engine.moment.state import WELL_ENDED, no_spend
from selfheal_tui.engine.moment.workspace import unified_diff
from selfheal_tui.errors import InputError, ProviderError, SelfHealError, SessionError
from selfheal_tui.sandbox.base import Sandbox, SuiteReport
from selfheal_tui.store.clock import now_at

from .cases import GivenTests, Judge, build_task, build_verdict
from .journal import Journal
from .metrics import TaskResult, Verdict
from .precision import edit_figures
from .records import BenchRecord

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.snapshot import Snapshot
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


@dataclass(slots=True)
class _Seen:
    """What the events of one session said so far."""

    last: Event | None = None
    newest: Snapshot | None = None
    confidence: float | None = None
    candidates: int = 0
    judged: int = 0
    """Candidates that the search now running has judged."""


async def run_bench(
    workbench: Workbench,
    records: tuple[BenchRecord, ...],
    options: RunOptions,
    journal: Journal,
    *,
    given_tests: GivenTests = "visible",
    jobs: int = 1,
    keep: bool = False,
) -> AsyncGenerator[BenchEvent, None]:
    """Run what the journal has not finished yet. Closing the iterator stops; sessions keep what they have saved.

    Raises: ProviderError when the model is gone, SandboxError, SessionError.
    """
    unfinished = await _left_over(workbench, journal)
    waiting = iter([record for record in records if record.id not in journal.results])
    running: dict[asyncio.Task[TaskFinished | TaskFailed], str] = {}
    failures = 0
    try:
        while True:
            while len(running) < jobs and (record := next(waiting, None)) is not None:
                yield TaskStarted(record.id)
                work = _one(workbench, record, options, journal, given_tests, keep, unfinished.get(record.id))
                running[asyncio.create_task(work)] = record.id
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


async def _one(
    workbench: Workbench,
    record: BenchRecord,
    options: RunOptions,
    journal: Journal,
    given_tests: GivenTests,
    keep: bool,
    session_id: str | None,
) -> TaskFinished | TaskFailed:
    progress, time_s, refused = _Seen(), 0.0, ""
    task = build_task(record, given_tests)
    try:
        if session_id is None or not await _opens(workbench, session_id):
            session_id = await workbench.create(task, options)
        async with workbench.open_session(session_id) as session:
            if head := await session.head():
                progress.newest = await session.snapshot(head)
                time_s = progress.newest.spent["time_s"]
            started = time.monotonic()
            await _follow(session.resume(), progress)
            time_s += time.monotonic() - started
    except InputError as error:
        refused = str(error)
    if isinstance(progress.last, RunFailed):
        if isinstance(progress.last.error, ProviderError):
            return TaskFailed(record.id, progress.last.error)
        if not isinstance(progress.last.error, InputError):
            raise progress.last.error
        refused = str(progress.last.error)
    result = _result(record, task.files, progress, refused, round(time_s, 3))
    if progress.newest is not None and (result["plausible"] or not result["unchanged"]):
        await _judge(workbench.sandbox, record, progress.newest.program, result)
        if result["repaired"] and not result["unchanged"] and task.mode == "fix":
            result["edit"] = await edit_figures(workbench.sandbox, record, task.files, progress.newest.program)
    if record.attempt > 1:
        result["attempt"] = record.attempt
    if record.category:
        result["category"] = record.category
    if session_id is not None and keep:
        result["session_id"] = session_id
    journal.append(result)
    if session_id is not None and not keep:
        await workbench.delete_session(session_id)
    return TaskFinished(result)


async def _opens(workbench: Workbench, session_id: str) -> bool:
    """Tell whether a session that was left can go on; one that was killed while it was made is removed."""
    try:
        async with workbench.watch_session(session_id):
            return True
    except SessionError:
        await workbench.delete_session(session_id)
        return False


async def _follow(events: AsyncIterator[Event], progress: _Seen) -> None:
    async with contextlib.aclosing(events) as run:  # type: ignore[type-var]
        async for event in run:
            progress.last = event
            match event:
                case NodeStarted():
                    progress.judged = 0
                case SearchProgressed():
                    progress.candidates += event.judged - progress.judged
                    progress.judged = event.judged
                case CheckpointSaved():
                    progress.newest = event.snapshot
                    for repair in list(event.snapshot.candidates.values())[:1]:
                        progress.confidence = _confidence(repair)
    # The last event holds the end; a repeated end saves no checkpoint.
    progress.newest = getattr(progress.last, "snapshot", progress.newest)


def _confidence(repair: Mapping[str, Any]) -> float | None:
    value = repair.get("confidence")
    return float(value) if isinstance(value, int | float) else None


def _result(record: BenchRecord, files: Mapping[str, str], progress: _Seen, refused: str, time_s: float) -> TaskResult:
    snapshot = progress.newest
    program = dict(snapshot.program) if snapshot else {}
    base = {path: files[path] for path in program if path in files}
    outcome = (snapshot.outcome or "waiting") if snapshot else "refused"
    return {
        "id": record.id,
        "bug_type": record.bug_type,
        "author": record.author,
        "outcome": "refused" if refused else outcome,
        "reason": refused or (snapshot.reason if snapshot else ""),
        "plausible": bool(snapshot and snapshot.outcome in WELL_ENDED and not refused),
        "repaired": False,
        "hidden": None,
        "plus": None,
        "has_plus": bool(record.plus_tests),
        "unchanged": program == base,
        "confidence": progress.confidence,
        "iterations": snapshot.iteration if snapshot else 0,
        "candidates": progress.candidates,
        "time_s": time_s,
        "spent": snapshot.spent if snapshot else no_spend(),
        "diff": unified_diff(base, program),
        "finished_at": now_at(),
    }


async def _judge(sandbox: Sandbox, record: BenchRecord, program: Mapping[str, str], result: TaskResult) -> None:
    """Judge the program by the hidden tests, which the loop never saw."""
    judges: tuple[Judge, ...] = ("hidden", "plus") if record.plus_tests else ("hidden",)
    for judge in judges:
        verdict = _verdict(await sandbox.verdict(build_verdict(record, program, judge)))
        result[judge] = verdict
        if not verdict["passed"]:
            break
    result["repaired"] = bool(result["hidden"] and result["hidden"]["passed"])


def _verdict(report: SuiteReport) -> Verdict:
    return {
        "passed": report["verdict"] == "passed",
        "cases": len(report["cases"]),
        "cases_passed": report["passed"],
        "trust": report["trust"],
        "not_verified": report["not_verified"],
        "error": report["error"],
    }
