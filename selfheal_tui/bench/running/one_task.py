"""One task of a suite, from its record to its verdict: a session in full autonomy, judged by the hidden tests.

The session lies where the workbench is: in this process's run folder, or in a worker's own.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from selfheal_tui.engine.moment.events import (
    CallFinished,
    CheckpointSaved,
    Event,
    NodeStarted,
    RunFailed,
    SearchProgressed,
)
from selfheal_tui.engine.moment.state import WELL_ENDED, no_spend
from selfheal_tui.engine.moment.workspace import unified_diff
from selfheal_tui.errors import InputError, ProviderError, SessionError
from selfheal_tui.sandbox.base import Sandbox, SuiteReport
from selfheal_tui.store.clock import now_at

from ..figures.metrics import TaskResult, Verdict
from ..figures.own_metrics import Metric, measure
from ..figures.precision import edit_figures
from ..suites.cases import GivenTests, Judge, build_task, build_verdict
from ..suites.records import BenchRecord

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.session.workbench import RunOptions, Workbench
    from selfheal_tui.store.shared_replies import SharedReplies


@dataclass(frozen=True, slots=True)
class Paid:
    """A model call was paid for, and is in the session's file."""

    session_id: str


@dataclass(frozen=True, slots=True)
class Judged:
    """The task has its verdict."""

    result: TaskResult
    session_id: str | None
    """None where no session could be made of it."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """Its model failed: there is no verdict, and the session can go on."""

    error: ProviderError
    session_id: str


class Told(Protocol):
    """Hears of each event of a task's session."""

    def __call__(self, event: Event, session_id: str, task_id: str) -> None: ...


@dataclass(slots=True)
class _Seen:
    """What the events of one session said so far."""

    last: Event | None = None
    newest: Snapshot | None = None
    confidence: float | None = None
    candidates: int = 0
    judged: int = 0
    """Candidates that the search now running has judged."""


async def run_task(
    workbench: Workbench,
    record: BenchRecord,
    options: RunOptions,
    given_tests: GivenTests,
    session_id: str | None,
    *,
    metrics: Mapping[str, Metric],
    told: Told | None = None,
    shared: SharedReplies | None = None,
) -> AsyncGenerator[Paid | Judged | Stuck, None]:
    """Run a task, or go on with its session; the last thing told is how it ended.

    `told` hears every event of the session; `shared` are replies that other runs of the task have paid for.
    Raises: SandboxError, SessionError, and what else is no fault of the task.
    """
    progress, time_s, refused = _Seen(), 0.0, ""
    task = build_task(record, given_tests)
    try:
        if session_id is None or not await _opens(workbench, session_id):
            session_id = await workbench.create(task, options)
        async with workbench.open_session(session_id, shared) as session:
            if head := await session.head():
                progress.newest = await session.snapshot(head)
                time_s = progress.newest.spent["time_s"]
            started = time.monotonic()
            async with contextlib.aclosing(session.resume()) as events:
                async for event in events:
                    _note(event, progress)
                    if told is not None:
                        told(event, session_id=session.id, task_id=record.id)
                    if isinstance(event, CallFinished) and not event.replayed:
                        yield Paid(session_id)
            time_s += time.monotonic() - started
    except InputError as error:
        refused = str(error)
    # The last event holds the end; a repeated end saves no checkpoint.
    progress.newest = getattr(progress.last, "snapshot", progress.newest)
    if isinstance(progress.last, RunFailed):
        if isinstance(progress.last.error, ProviderError) and session_id is not None:
            yield Stuck(progress.last.error, session_id)
            return
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
    measure(metrics, result, progress.newest.program if progress.newest is not None else task.files)
    yield Judged(result, session_id)


async def _opens(workbench: Workbench, session_id: str) -> bool:
    """Tell whether a session that was left can go on; one that was killed while it was made is removed."""
    try:
        async with workbench.watch_session(session_id):
            return True
    except SessionError:
        await workbench.delete_session(session_id)
        return False


def _note(event: Event, progress: _Seen) -> None:
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
