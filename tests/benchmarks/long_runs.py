"""What an iteration and a step of it cost in a long session: `python -m tests.benchmarks.long_runs`.

`--marks 100,1000,5000` says at which iterations is measured. The session is that of `long_session.py`, run to each mark
without a pause; what is measured stands beside a fixed piece of work of the same moment, so a slower clock does not
count. Prints a table; nothing fails.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import statistics
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from selfheal_tui.engine.moment.events import ReviewRequested
from selfheal_tui.engine.session.workbench import Workbench
from tests.benchmarks.long_session import create, iterate, program, register

_ITERATIONS = 20
"""How many are measured at each mark."""
_SAMPLES = 7


async def main() -> None:
    """Run to each mark, measure there, print a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--marks", default="100,1000,5000")
    marks = sorted(int(mark) for mark in parser.parse_args().marks.split(","))
    print("| iterations before | CPU ms an iteration | x fixed work | CPU ms to open at a moment | x fixed work |")
    print("| --- | --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory(prefix="selfheal-long-") as home:
        bench = Workbench(Path(home))
        try:
            register()
            session_id = await create(bench)
            asked: ReviewRequested | None = None
            for mark in marks:
                async with bench.open_session(session_id) as session:
                    asked = await iterate(session, asked, mark)
                    took = []
                    for number in range(1, _ITERATIONS + 1):
                        began = time.process_time()
                        asked = await iterate(session, asked, mark + number)
                        took.append(time.process_time() - began)
                iteration_ms, step_ms = statistics.median(took) * 1000, await _opened_ms(bench, session_id, asked)
                fixed_ms = statistics.median(_ms(_fixed_work) for _ in range(_SAMPLES))
                ratios = iteration_ms / fixed_ms, step_ms / fixed_ms
                print(
                    f"| {mark:,} | {iteration_ms:.1f} | {ratios[0]:.2f} | {step_ms:.1f} | {ratios[1]:.2f} |", flush=True
                )
        finally:
            await bench.aclose()


async def _opened_ms(bench: Workbench, session_id: str, asked: ReviewRequested) -> float:
    """Return what it takes to look at a moment of a session just opened, with nothing kept from before."""
    took = []
    for _ in range(_SAMPLES):
        async with bench.watch_session(session_id) as session:
            began = time.process_time()
            await session.snapshot(asked.checkpoint_id)
            took.append(time.process_time() - began)
    return statistics.median(took) * 1000


def _ms(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000


def _fixed_work() -> None:
    """Do what the store does with a body, many times."""
    for number in range(300):
        text = json.dumps({"program": program(number)})
        packed = zlib.compress(text.encode())
        hashlib.sha256(zlib.decompress(packed)).hexdigest()
        json.loads(text)


if __name__ == "__main__":
    asyncio.run(main())
