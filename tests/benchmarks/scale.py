"""One million sessions on a thousand workers, on paper: what was measured here, and a simulation of the driver with it.

    python -m tests.benchmarks.scale

Measured on this machine: the driver's journal (an fsync a task), a worker's session as it is sent and kept, the report
over 10,000 and 100,000 results (in seconds of CPU). Then a discrete-event simulation: each worker makes paid calls, waits after each until
the driver has its session on disk, and ends with a result; the driver handles one message at a time. What it cannot
know (how long a session takes, how many calls it makes) are the columns of its table.
"""

from __future__ import annotations

import gc
import heapq
import json
import pickle
import random
import resource
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from selfheal_tui.bench.figures.metrics import TaskResult
from selfheal_tui.bench.figures.report import build_report, markdown
from selfheal_tui.bench.running.at_worker import Done, Setup, work
from selfheal_tui.bench.saved.carried import Carried
from selfheal_tui.bench.saved.journal import open_journal, read_results
from selfheal_tui.bench.suites.cases import loop_limits
from selfheal_tui.bench.suites.records import build_record
from selfheal_tui.cli.compose import build_options, build_workbench
from selfheal_tui.cluster.room import Room, RoomSetup
from selfheal_tui.cluster.said import Kept
from selfheal_tui.cluster.versions import versions
from selfheal_tui.settings import default_settings
from tests.bench_data import records
from tests.e2e.test_bench import DIAGNOSIS, repairer

SESSIONS = 1_000_000
ROWS = ((5, 0, 1_000, 1), (60, 6, 1_000, 1), (60, 6, 10_000, 1), (60, 6, 10_000, 10))
"""Seconds of a session, its paid calls, workers, drivers."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What the driver's work takes, in seconds."""

    kept_s: float
    """A session's file: unpickled, written, fsynced."""
    done_s: float
    """A result: unpickled, a line appended, fsynced."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a simulated run came to."""

    hours: float
    busy: float
    """Share of the time that the driver worked."""
    waited: float
    """Share of the workers' time that they waited for it."""


def simulate(costs: Costs, *, session_s: float, calls: int, workers: int, drivers: int = 1) -> Outcome:
    """Simulate a run; sessions take `session_s` on average, exponentially spread over their calls.

    `drivers`: the tasks are cut into so many shards, each with its own share of the workers.
    """
    rng, workers, left = random.Random(1), workers // drivers, SESSIONS // drivers
    part_s = session_s / (calls + 1)
    free_s = busy_s = waited_s = now_s = 0.0
    coming = [(rng.expovariate(1 / part_s), calls) for _ in range(min(workers, left))]
    left -= len(coming)
    heapq.heapify(coming)
    while coming:
        now_s, calls_left = heapq.heappop(coming)
        cost_s = costs.kept_s if calls_left else costs.done_s
        free_s = max(free_s, now_s) + cost_s
        busy_s += cost_s
        waited_s += free_s - now_s
        if calls_left or left:
            left -= not calls_left
            heapq.heappush(coming, (free_s + rng.expovariate(1 / part_s), calls_left - 1 if calls_left else calls))
    return Outcome(free_s / 3600, busy_s / free_s, waited_s / (free_s * workers))


def _measured(work_once: Callable[[int], object], count: int) -> tuple[float, float]:
    """Return median and 99th percentile of the seconds that one call takes."""
    times = []
    for number in range(count):
        began = time.perf_counter()
        work_once(number)
        times.append(time.perf_counter() - began)
    times.sort()
    return statistics.median(times), times[int(count * 0.99)]


def _session(folder: Path) -> tuple[Kept, Done, float, int]:
    """Run one real session with two paid calls; return what it sent, the seconds an export took, the database's bytes."""
    script = {"replies": [{"role": "debugger", "reply": DIAGNOSIS}, repairer("total")]}
    (folder / "model.yaml").write_text(yaml.safe_dump(script), "utf-8")
    settings = replace(default_settings({}), model=f"scripted:{folder / 'model.yaml'}", max_iterations=2)
    options = replace(build_options(settings), autonomy="full_auto")
    opened = partial(build_workbench, suite_limits=loop_limits(None))
    sent = Setup(RoomSetup("scale", settings, opened, versions(), None, {}), options, "visible", True)
    told: list[Any] = []
    size_bytes = 0
    for one in work(sent, build_record(records()[0], "here"), b""):
        told.append(one)
        for path in Path(tempfile.gettempdir()).glob("selfheal-worker-*/run-*/sessions/*/session.db*"):
            size_bytes = max(size_bytes, path.stat().st_size)
    assert Room.current is not None
    room = Room.current

    async def taken_in() -> AsyncGenerator[str, None]:
        yield await room.take_in(told[-1].session)

    (session_id,) = room.each(taken_in())
    export_s, _ = _measured(lambda _: room.file(session_id), 20)
    room.close()
    kept = [one for one in told if isinstance(one, Kept)]
    assert isinstance(told[-1], Done) and kept
    return kept[-1], told[-1], export_s, size_bytes


def _report(row: TaskResult, count: int) -> dict[str, float]:
    rows = [{**row, "id": f"task/{n}", "time_s": n % 97 + 0.5, "repaired": n % 3 == 0} for n in range(count)]
    origin: dict[str, Any] = {"models": {}, "limits": {}, "versions": {}, "prompts": {}, "tests_given": "visible"}
    header = {
        "config": {**origin, "suite": "s", "data": "d", "data_sha256": "0" * 64},
        "chosen": {"limit": None, "ids": [], "seed": None, "jobs": 1},
        "machine": {"system": "", "processor": "", "cores": 2},
        "started_at": "",
    }
    gc.collect()
    began = time.process_time()
    report = build_report(header, rows, selected=count, not_tried={})  # type: ignore[arg-type]
    built = time.process_time()
    markdown(report)
    words = time.process_time()
    text = json.dumps(report, indent=1)
    return {"build": built - began, "words": words - built, "json": time.process_time() - words, "bytes": len(text)}


def main() -> None:
    """Measure, simulate, print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tempfile.tempdir = name
        kept, done, export_s, db_bytes = _session(folder)
        line_bytes = len(json.dumps(done.result)) + 1
        sent_kept, sent_done = pickle.dumps(kept), pickle.dumps(done)
        header = {"format": 1}
        with open_journal(folder / "run", header, resume=False, own=False) as journal:
            carried = Carried(journal)

            def keep(number: int) -> None:
                carried.put(f"task/{number % 100}", pickle.loads(sent_kept).session)

            def finish(number: int) -> None:
                journal.append({**pickle.loads(sent_done).result, "id": f"task/{number}"})

            kept_s, kept_99_s = _measured(keep, 500)
            done_s, done_99_s = _measured(finish, 2000)
        began = time.process_time()
        read = len(read_results(folder / "run"))
        read_s = (time.process_time() - began) / read
        print(f"| a session's file kept (median, 99 %) | {1e3 * kept_s:.2f}, {1e3 * kept_99_s:.2f} ms |")
        print(f"| a result written (median, 99 %) | {1e3 * done_s:.2f}, {1e3 * done_99_s:.2f} ms |")
        print(f"| a session's file made at the worker | {1e3 * export_s:.1f} ms |")
        print(
            f"| a session's file; as SQLite; a line of results | {len(kept.session):,}; {db_bytes:,}; {line_bytes:,} bytes |"
        )
        print(f"| a result read again | {1e6 * read_s:.0f} us |")
        for count in (10_000, 100_000):
            figures = _report(done.result, count)
            print(
                f"| report over {count:,}: figures, Markdown, JSON | {figures['build']:.2f}, {figures['words']:.2f}, "
                f"{figures['json']:.2f} s; {figures['bytes'] / 1e6:.0f} MB |"
            )
        print(f"| most memory of this process | {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB |")
    costs = Costs(kept_s, done_s)
    print(f"\n{SESSIONS:,} sessions, simulated")
    print("| a session takes | paid calls | workers | drivers | hours | without waiting | driver busy | workers wait |")
    print("|---|---|---|---|---|---|---|---|")
    for session_s, calls, workers, drivers in ROWS:
        one = simulate(costs, session_s=session_s, calls=calls, workers=workers, drivers=drivers)
        ideal = SESSIONS * session_s / workers / 3600
        print(
            f"| {session_s} s | {calls} | {workers:,} | {drivers} | {one.hours:.2f} | {ideal:.2f} | {100 * one.busy:.0f} % "
            f"| {100 * one.waited:.1f} % |",
            flush=True,
        )


if __name__ == "__main__":
    main()
