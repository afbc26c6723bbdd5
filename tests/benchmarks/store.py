"""How a session's file grows and how fast its history is read: `python -m tests.benchmarks.store`.

`--iterations 1000` runs that many real iterations for the table of growth (100 without); `--checkpoints 10000` is how
long the history is that is read, its later part copied row by row from real ones. Every time stands beside a baseline
of the same run. Prints tables; nothing fails.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import statistics
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from textual.app import App, ComposeResult

from selfheal_tui.engine.moment.events import ReviewRequested
from selfheal_tui.engine.session.session import Session
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.ui.kit.timeline_tree import TimelineTree
from selfheal_tui.ui.view.timeline_rows import build_timeline_rows
from tests.benchmarks.long_session import create, iterate, register, session_file

_BODIES = ("blob", "call")
"""Tables of what is stored once, however often it is named."""
_SAMPLES = 7


async def main() -> None:
    """Run all of it on one session."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--checkpoints", type=int, default=10_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="selfheal-store-") as home:
        bench = Workbench(Path(home))
        try:
            register()
            session_id = await create(bench)
            await _growth(bench, session_id, args.iterations)
            file = session_file(bench, session_id)
            lengthen(file, args.checkpoints)
            await _reading(bench, session_id, file)
            await _deleting(bench, session_id, file)
        finally:
            await bench.aclose()


async def _growth(bench: Workbench, session_id: str, most: int) -> None:
    """Run real iterations; print where the bytes lie at each mark."""
    file = session_file(bench, session_id)
    print("| iterations | nodes each | KB an iteration | above the bodies | for 7 nodes | where, KB an iteration |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    asked: ReviewRequested | None = None
    before: dict[str, int] = {}
    done, rows_before = 0, 0
    for mark in sorted({n for n in (100, 300, 1_000, most) if n <= most}):
        async with bench.open_session(session_id) as session:
            asked = await iterate(session, asked, mark)
        sizes, rows = bytes_by_table(file), _count(file)
        grown = {name: (size - before.get(name, 0)) / (mark - done) / 1000 for name, size in sizes.items()}
        nodes = (rows - rows_before) / (mark - done)
        whole, above = sum(grown.values()), sum(size for name, size in grown.items() if name not in _BODIES)
        where = ", ".join(
            f"{name} {size:.1f}" for name, size in sorted(grown.items(), key=lambda g: -g[1]) if size > 0.2
        )
        print(f"| {mark:,} | {nodes:.1f} | {whole:.1f} | {above:.1f} | {above / nodes * 7:.1f} | {where} |", flush=True)
        before, done, rows_before = sizes, mark, rows


def bytes_by_table(file: Path) -> dict[str, int]:
    """Return table -> bytes of its pages and those of its indexes."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        return dict(
            connection.execute(
                "select coalesce(s.tbl_name, d.name), sum(d.pgsize) from dbstat d "
                "left join sqlite_schema s on s.name=d.name group by 1"
            ).fetchall()
        )


def _count(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("select count(*) from checkpoints").fetchone()[0])


def lengthen(file: Path, upto: int) -> None:
    """Go on with copies of the checkpoints there are, each the child of the one before; a tenth on a branch each."""
    with closing(sqlite3.connect(file)) as connection:
        rows = connection.execute("select * from checkpoints order by rowid").fetchall()
        columns = [row[1] for row in connection.execute("pragma table_info(checkpoints)")]
        at, meta = columns.index("parent_checkpoint_id"), columns.index("metadata")
        own, parent = columns.index("checkpoint_id"), rows[-1][columns.index("checkpoint_id")]
        fresh, started = _ids(parent), len(rows)
        for number in range(started, upto):
            row = list(rows[number % (len(rows) - 2) + 2])
            facts = json.loads(row[meta])
            branch = number * 10 // upto
            facts["branch"] = "main" if number * 10 // upto == started * 10 // upto else f"branch-{branch}"
            row[own], row[at] = next(fresh), parent
            row[meta] = json.dumps(facts).encode()
            connection.execute(f"insert into checkpoints values({','.join('?' * len(row))})", row)
            parent = row[own]
        connection.commit()


def _ids(last: str) -> Iterator[str]:
    """Yield ids later than `last`, as LangGraph's are."""
    number = uuid.UUID(last).int
    while True:
        number += 1 << 64
        yield str(uuid.UUID(int=number))


async def _reading(bench: Workbench, session_id: str, file: Path) -> None:
    """Time the tree of the whole history and one step in it, each time with nothing kept from before."""
    count = _count(file)
    plain = _times(lambda: _plain(file, "select checkpoint_id, parent_checkpoint_id, metadata from checkpoints"))
    print(f"\n| {count:,} checkpoints | ms | CPU ms | CPU x plain SQL | goal, ms |\n| --- | --- | --- | --- | --- |")
    _row("plain SQL, the same columns", plain, plain)
    first, painted, steps = list[Took](), list[Took](), list[Took]()
    for _ in range(_SAMPLES):
        async with bench.open_session(session_id) as session:
            first.append(await _ms(session.timeline()))
        async with bench.open_session(session_id) as session, _Host().run_test(size=(140, 45)) as pilot:
            painted.append(await _ms(_paint(session, pilot.app.query_one(TimelineTree))))
        async with bench.open_session(session_id) as session:
            ids = list((await session.timeline()).checkpoints)
            steps += [await _ms(session.snapshot(ids[len(ids) * n // 10])) for n in range(10)]
    async with bench.open_session(session_id) as session:
        timeline = await session.timeline()
        again = [await _ms(session.timeline()) for _ in range(_SAMPLES)]
        last = next(reversed(timeline.checkpoints.values()))
        more = replace(last, id="f" * 36, parent_id=last.id)
        plus = _times(lambda: timeline.plus(more, last.branch))
        rows = _times(lambda: build_timeline_rows(timeline))
        through = await _ms(_listed(session))
    _row("Session.timeline, of a session just opened", first, plain)
    _row("and painted as a tree, 140x45", painted, plain, "300")
    _row("Session.timeline again", again, plain)
    _row("one more checkpoint in the screen's model", plus, plain)
    _row("the rows of the tree, folded", rows, plain)
    _row("LangGraph's alist", [through], plain)
    one = _times(lambda: _plain(file, "select * from checkpoints where rowid=5000"))
    print("\n| one step in time | ms | CPU ms | CPU x plain SQL | goal, ms |\n| --- | --- | --- | --- | --- |")
    _row("plain SQL, one checkpoint", one, one)
    _row("Session.snapshot, bodies and all", steps, one, "50")


class _Host(App[None]):
    def compose(self) -> ComposeResult:
        """Show the tree alone."""
        yield TimelineTree()


async def _paint(session: Session, tree: TimelineTree) -> None:
    timeline = await session.timeline()
    painted = asyncio.Event()
    tree.show(timeline, next(reversed(timeline.checkpoints)))
    tree.call_after_refresh(painted.set)
    await painted.wait()


async def _listed(session: Session) -> None:
    checkpointer: Any = (await session._graph()).checkpointer
    async for _ in checkpointer.alist({"configurable": {"thread_id": session.id, "checkpoint_ns": ""}}):
        pass


def _plain(file: Path, sql: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(sql).fetchall()


class Took(NamedTuple):
    """How long something took, in ms."""

    wall: float
    cpu: float
    """Of this process; what another one takes from the machine is not in it."""


class _Clock:
    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def took(self) -> Took:
        """Return the time since it was made."""
        return Took((time.perf_counter() - self._wall) * 1000, (time.process_time() - self._cpu) * 1000)


async def _ms(work: Awaitable[Any]) -> Took:
    clock = _Clock()
    await work
    return clock.took()


def _times(work: Callable[[], Any]) -> list[Took]:
    found = []
    for _ in range(_SAMPLES):
        clock = _Clock()
        work()
        found.append(clock.took())
    return found


def _row(what: str, took: list[Took], baseline: list[Took], goal: str = "") -> None:
    wall, cpu = (statistics.median(column) for column in zip(*took, strict=True))
    plain = statistics.median(one.cpu for one in baseline)
    print(f"| {what} | {wall:.1f} | {cpu:.1f} | {cpu / plain:.1f} | {goal} |", flush=True)


async def _deleting(bench: Workbench, session_id: str, file: Path) -> None:
    """Delete the newest branch; say what that frees."""
    async with bench.open_session(session_id) as session:
        first, *others = (await session.timeline()).branches
        if not others:
            print(f"\nnothing to delete: all the history is on {first}, where the session began")
            return
        name = others[-1]
        checkpoints = sum(checkpoint.branch == name for checkpoint in await session.timeline())
        before = file.stat().st_size
        await session.branches.delete(name)
        gone = await session.branches.purge()
    print(
        f"\ndelete of a branch with {checkpoints:,} of the checkpoints: {gone.freed_bytes / 1000:,.0f} KB freed of ",
        end="",
    )
    print(f"{before / 1000:,.0f} KB, {gone.checkpoints:,} checkpoints and {gone.bodies:,} bodies gone")


if __name__ == "__main__":
    asyncio.run(main())
