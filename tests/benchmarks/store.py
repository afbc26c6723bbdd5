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
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from selfheal_tui.engine.events import ReviewRequested
from selfheal_tui.engine.session import Session
from selfheal_tui.engine.workbench import Workbench
from tests.benchmarks.long_session import create, iterate, session_file

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
            session_id = await create(bench)
            await _growth(bench, session_id, args.iterations)
            file = session_file(bench, session_id)
            lengthen(file, args.checkpoints)
            async with bench.open_session(session_id) as session:
                await _reading(session, file)
                await _painting(session)
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


async def _reading(session: Session, file: Path) -> None:
    print("\n| reading 10,000 checkpoints | ms, median | x plain SQL | goal |\n| --- | --- | --- | --- |")
    print("goal", flush=True)


async def _painting(session: Session) -> None: ...


async def _deleting(bench: Workbench, session_id: str, file: Path) -> None: ...


if __name__ == "__main__":
    asyncio.run(main())
