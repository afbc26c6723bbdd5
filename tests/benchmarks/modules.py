"""Whether the search mends a bug in a module of 350 to 2,000 lines: `python -m tests.benchmarks.modules --only shlex`.

The programs are modules of the Python that runs this, read at run time; the cases are those of `module_tests/`, every
other one visible and the rest held back. Bugs of one line are planted (`module_bugs.py`), of those that make some
visible cases fail and not all. A bug counts as mended where the first-ranked repair passes every visible case and
every held-back one that passes without the bug.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import importlib.util
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from selfheal_tui.sandbox.base import Limits, Sandbox, Suite, run_through
from selfheal_tui.sandbox.registry import open_sandbox
from selfheal_tui.search.hunt.judging import Judging
from selfheal_tui.search.hunt.rounds import Hunt, Stage
from selfheal_tui.search.repair import Budget, Progress, repair
from selfheal_tui.search.weigh.found import Found
from tests.benchmarks.module_bugs import Bug, draw_bugs

MODULES = ("textwrap", "shlex", "configparser", "fractions", "difflib", "statistics")
_CASES = Path(__file__).with_name("module_tests")
_LIMITS = Limits(time_s=30.0, case_time_s=2.0)
_DRAWN = 30
"""Bugs that are judged together to find one that fits."""
_FIRST_BATCH = 64


@dataclass(frozen=True, slots=True)
class Subject:
    """A module with its cases."""

    name: str
    suite: Suite
    """With the visible cases."""
    hidden: Suite
    """With the cases that are held back."""

    @property
    def program(self) -> str:
        """The program's path in both suites."""
        return self.suite.program[0]


def read_subject(name: str) -> Subject:
    """Read a module of this Python, and its cases."""
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.origin is not None
    program, tests = f"library/{name}.py", f"test_{name}.py"
    files = {program: Path(spec.origin).read_text("utf-8"), "library/__init__.py": ""}
    text = (_CASES / f"{name}_cases.py").read_text("utf-8")
    halves = (replace_import(name, _every_other(text, left_out)) for left_out in (1, 0))
    visible, hidden = (Suite({**files, tests: half}, (tests,), (program,), limits=_LIMITS) for half in halves)
    return Subject(name, visible, hidden)


def replace_import(name: str, text: str) -> str:
    """Return cases that import the copy of the module."""
    return text.replace(f"\nimport {name}\n", f"\nfrom library import {name}\n")


def _every_other(text: str, left_out: int) -> str:
    """Return a test file without each second case: the first, third and so on for 0, the others for 1."""
    cases = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")]
    dropped = {line for case in cases[left_out::2] for line in range(case.lineno, (case.end_lineno or 0) + 1)}
    return "\n".join(row for number, row in enumerate(text.split("\n"), 1) if number not in dropped)


async def _passing(sandbox: Sandbox, suite: Suite, texts: list[str]) -> list[set[str]]:
    """Return the cases that pass with each text of the program."""
    passing: list[set[str]] = [set() for _ in texts]
    async with aclosing(sandbox.judge(suite, [{suite.program[0]: text} for text in texts])) as verdicts:
        async for verdict in verdicts:
            passing[verdict.index] = {case for case, outcome in verdict.outcomes.items() if outcome == "passed"}
    return passing


async def plant(sandbox: Sandbox, subject: Subject, seed: int, number: int) -> list[Bug]:
    """Return so many bugs that some visible cases see and not all, in different functions where that can be."""
    chance = random.Random(f"{subject.name} {seed}")
    drawn = draw_bugs(subject.program, subject.suite.files[subject.program], chance)
    all_cases = (await _passing(sandbox, subject.suite, [subject.suite.files[subject.program]]))[0]
    bugs: dict[str, Bug] = {}
    spare: list[Bug] = []
    for _ in range(8):
        some = list(islice(drawn, _DRAWN))
        for bug, passing in zip(some, await _passing(sandbox, subject.suite, [b.text for b in some]), strict=True):
            if passing and passing < all_cases and bug.text not in {one.text for one in (*bugs.values(), *spare)}:
                spare += [bug] if bug.function in bugs else []
                bugs.setdefault(bug.function, bug)
        if len(bugs) >= number:
            break
    return [*bugs.values(), *spare][:number]


async def attempt(sandbox: Sandbox, subject: Subject, bug: Bug, time_s: float) -> dict[str, Any]:
    """Search for a repair of one bug; return what became of it."""
    suite = replace(subject.suite, files={**subject.suite.files, subject.program: bug.text})
    row: dict[str, Any] = {"module": subject.name, "kind": bug.kind, "function": bug.function, "line": bug.line}
    row |= {"bug": bug.words, "first_s": None, "right": False, "place": 0, "judged": 0}
    covered = await run_through(sandbox, replace(suite, coverage=True))
    row["failing"] = sum(case["outcome"] not in ("passed", "skipped") for case in covered.report["cases"])
    row |= await _listing(sandbox, suite, covered)
    began, cpu = time.perf_counter(), time.process_time()
    found = Found((), 0, False)
    async with aclosing(
        repair(
            suite.files, suite.program, suite.tests, covered.report, sandbox,
            budget=Budget(time_s=time_s), coverage=covered.coverage, limits=_LIMITS,
        )
    ) as steps:  # fmt: skip
        async for step in steps:
            match step:
                case Progress(plausible=number) if number and row["first_s"] is None:
                    row["first_s"] = round(time.perf_counter() - began, 1)
                case Found():
                    found = step
    row |= {"took_s": round(time.perf_counter() - began, 1), "cpu_s": round(time.process_time() - cpu, 1)}
    row |= {"judged": found.judged, "rate": round(found.judged / row["took_s"])}
    complete = [one for one in found.candidates if one.complete]
    if complete:
        good = (await _passing(sandbox, subject.hidden, [subject.suite.files[subject.program]]))[0]
        held = await _passing(sandbox, subject.hidden, [_changed(one.changes, subject) for one in complete])
        right = [good <= passing for passing in held]
        row |= {"right": right[0], "place": right.index(True) + 1 if True in right else 0}
        row |= {"summary": complete[0].summary, "operator": complete[0].operator}
    return row


def _changed(changes: Mapping[str, str], subject: Subject) -> str:
    return changes[subject.program]


async def _listing(sandbox: Sandbox, suite: Suite, covered: Any) -> dict[str, Any]:
    """Measure in CPU seconds what it takes until the first batch is drawn, and until all edits are listed."""
    judging = Judging(sandbox, suite, covered.report, covered.coverage)
    hunt = Hunt(suite, judging, 1 << 30, time.monotonic() + 600)
    began = time.process_time()
    candidates = await hunt.candidates_of(Stage(suite, covered.report, covered.coverage))
    drawn = iter(candidates)
    await asyncio.to_thread(lambda: list(islice(drawn, _FIRST_BATCH)))
    first = time.process_time()
    number = await asyncio.to_thread(lambda: sum(1 for _ in candidates.edits))
    return {"edits": number, "batch_cpu_s": round(first - began, 2), "all_cpu_s": round(time.process_time() - began, 2)}


async def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="modules, parted by commas")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--time", type=float, default=60.0, help="seconds a bug")
    parser.add_argument("--tries", type=int, default=10, help="bugs a module")
    parser.add_argument("--numbers", default="", help="only these tries of each module, from 0, parted by commas")
    parser.add_argument("--listing", action="store_true", help="only how long the edits take to be listed")
    parser.add_argument("--bugs", action="store_true", help="only the bugs that would be planted")
    parser.add_argument("--out", default="")
    options = parser.parse_args()
    chosen = [name for name in MODULES if not options.only or name in options.only.split(",")]
    numbers = {int(number) for number in options.numbers.split(",") if number}
    sandbox = open_sandbox("local")
    rows: list[dict[str, Any]] = []
    try:
        for name in chosen:
            subject = read_subject(name)
            for number, bug in enumerate(await plant(sandbox, subject, options.seed, options.tries)):
                if not numbers or number in numbers:
                    rows.append({"number": number, **await _one(sandbox, subject, bug, options)})
                    _tell(rows[-1], options.out)
    finally:
        await sandbox.aclose()
    _summary(rows)


async def _one(sandbox: Sandbox, subject: Subject, bug: Bug, options: argparse.Namespace) -> dict[str, Any]:
    known = {"module": subject.name, "function": bug.function, "line": bug.line, "kind": bug.kind, "bug": bug.words}
    if options.bugs:
        return known
    if options.listing:
        suite = replace(subject.suite, files={**subject.suite.files, subject.program: bug.text})
        covered = await run_through(sandbox, replace(suite, coverage=True))
        return known | await _listing(sandbox, suite, covered)
    return await attempt(sandbox, subject, bug, options.time)


def _tell(row: dict[str, Any], out: str) -> None:
    print(" ".join(f"{name}={value}" for name, value in row.items()), flush=True)
    if out:
        with Path(out).open("a") as file:
            file.write(json.dumps(row) + "\n")


def _summary(rows: list[dict[str, Any]]) -> None:
    print(
        "\n| module | bugs | right | some plausible | median s to it | median edits | CPU s to the first batch | to all |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in [*MODULES, ""]:
        own = [row for row in rows if "edits" in row and name in ("", row["module"])]
        if not own:
            continue
        first = [row["first_s"] for row in own if row.get("first_s") is not None]
        right = sum(row.get("right", False) for row in own)
        cells = [name or "**all**", len(own), f"{right} ({right / len(own):.0%})", len(first), _median(first)]
        cells += [_median([row[key] for row in own]) for key in ("edits", "batch_cpu_s", "all_cpu_s")]
        print("| " + " | ".join(map(str, cells)) + " |")
    print(f"\nkinds: {dict(Counter(row['kind'] for row in rows))}")


def _median(values: Collection[float]) -> str:
    return f"{statistics.median(values):,.4g}" if values else "-"


if __name__ == "__main__":
    asyncio.run(main())
