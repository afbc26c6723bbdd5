"""What the word "verified" costs honest programs: every reference of the dev data, judged with the program apart.

`python -m tests.benchmarks.verified` prints a row for each set and the reasons; `--set NAME` takes one, `--each N` every
N-th record. Needs the data folder beside the project.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple

from selfheal_tui.sandbox.base import Limits, Suite, run_through
from selfheal_tui.sandbox.local import LocalSandbox
from tests.dev_data import records, suite_of

SETS = ("humaneval", "mbpp_sanitized", "quixbugs", "humanevalfix", "exercism", "cruxeval")
_LIMITS = Limits(time_s=60.0, case_time_s=10.0)


class Judged(NamedTuple):
    """What became of one reference."""

    name: str
    verdict: str
    trust: str
    why: str
    """Why it is not verified, or what failed."""


def honest(name: str, each: int = 1) -> Iterator[tuple[str, Suite]]:
    """Yield id and suite of a set's references; `each` takes every so many-th record."""
    for record in records(name)[::each]:
        yield record["id"], _suite(record)


def _suite(record: dict[str, Any]) -> Suite:
    layout = record.get("layout")
    if layout:
        more = {path: text for path, text in (record.get("files") or {}).items() if isinstance(text, str)}
        files = {**more, layout["solution"]: record["reference_code"], layout["tests"]: record["hidden_tests"]}
        return Suite(files, (layout["tests"],), (layout["solution"],), limits=_LIMITS, verify=True)
    suite = suite_of(record, record["reference_code"], record["hidden_tests"], _LIMITS)
    return Suite(suite.files, suite.tests, suite.program, limits=_LIMITS, verify=True)


async def judged(sandbox: LocalSandbox, name: str, each: int = 1) -> AsyncIterator[Judged]:
    """Judge a set's references one after the other in one warm sandbox."""
    for record_id, suite in honest(name, each):
        report = (await run_through(sandbox, suite)).report
        failed = [case["message"] for case in report["cases"] if case["outcome"] not in ("passed", "skipped")]
        why = report["error"] or next(iter(failed), "") or report["not_verified"] or ""
        yield Judged(record_id, report["verdict"], report["trust"], why)


async def _main(sets: list[str], each: int) -> None:
    sandbox = LocalSandbox()
    print(f"{'set':16}{'programs':>9}{'verified':>9}{'':>8}{'not verified':>13}{'wrongly failed':>15}{'s':>6}")
    notes: list[str] = []
    try:
        for name in sets:
            began = time.monotonic()
            found = [one async for one in judged(sandbox, name, each)]
            failed = [one for one in found if one.verdict != "passed"]
            verified = [one for one in found if one.verdict == "passed" and one.trust == "verified"]
            rest = [one for one in found if one not in failed and one not in verified]
            share = f"{len(verified) / len(found):.1%}"
            seconds = time.monotonic() - began
            print(f"{name:16}{len(found):9}{len(verified):9}{share:>8}{len(rest):13}{len(failed):15}{seconds:6.0f}")
            notes += [f"{name}: {count} x {why}" for why, count in Counter(one.why for one in rest).most_common()]
            notes += [f"{name}: {one.name} FAILED: {one.why}" for one in failed]
    finally:
        await sandbox.aclose()
    print("\n".join(["", *notes]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=SETS, action="append")
    parser.add_argument("--each", type=int, default=1)
    given = parser.parse_args()
    asyncio.run(_main(given.set or [*SETS], given.each))
