"""Recorded repair loops: the programs that a model wrote one after the other, and what was said of each.

A record in our own form with a field `trace`, whose `steps` hold `code`, and `visible` and `hidden`: `pass`, or how it
failed. A step without code has the program of the step before it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line

from ..suites.cases import obstacle
from ..suites.entries import read_file
from ..suites.records import BenchRecord, build_record, select

PASS = "pass"


@dataclass(frozen=True, slots=True)
class Step:
    """A program of a recorded loop."""

    code: str
    visible: str
    """What the record says of the visible tests: `pass`, a kind of failure, or empty where it says nothing."""
    hidden: str


@dataclass(frozen=True, slots=True)
class RecordedLoop:
    """A task with the programs that were written for it; the first one is what a repair begins with."""

    record: BenchRecord
    steps: tuple[Step, ...]

    @property
    def healed(self) -> bool:
        """Whether the last program passes the hidden tests, by the record."""
        return self.steps[-1].hidden == PASS


@dataclass(frozen=True, slots=True)
class Recordings:
    """What a file of recorded loops holds."""

    path: Path
    sha256: str
    loops: tuple[RecordedLoop, ...]
    left_out: tuple[str, ...]
    """A sentence for each entry that is no recorded loop."""


def read_recordings(
    path: Path, ids: tuple[str, ...] = (), limit: int | None = None, seed: int | None = None
) -> Recordings:
    """Read recorded loops; choose `ids`, and at most `limit`, drawn at random when a `seed` is given.

    Raises: InputError with one sentence when there is none.
    """
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise InputError(f"{path} {what}.", "Name a file of recorded loops; docs/benchmarks.md says its form.")
    source = read_file(path)
    loops: dict[str, RecordedLoop] = {}
    problems: list[str] = []
    for entry in source.entries:
        try:
            loop = _loop(entry.row, entry.where) if entry.row is not None else None
            if loop and loop.record.id in loops:
                raise InputError(f"The id {one_line(loop.record.id, 60)!r} comes twice ({entry.where}).")
        except InputError as error:
            problems.append(error.message)
            continue
        if loop is None:
            problems.append(entry.problem)
        else:
            loops[loop.record.id] = loop
    if not loops:
        raise InputError(problems[0] if problems else f"{path} holds no record.")
    chosen = [loops[record.id] for record in select(tuple(loop.record for loop in loops.values()), ids)]
    if limit is not None and limit < len(chosen):
        drawn = chosen[:limit] if seed is None else random.Random(seed).sample(chosen, limit)
        chosen = [loop for loop in chosen if loop in drawn]
    return Recordings(path, source.sha256, tuple(chosen), tuple(problems))


def _loop(row: Mapping[str, Any], where: str) -> RecordedLoop:
    record = build_record(row, where)
    trace = row.get("trace")
    rows = trace.get("steps") if isinstance(trace, dict) else None
    if not isinstance(rows, list) or not rows:
        raise InputError(f"A recorded loop needs `trace` with its `steps` ({where}).")
    steps: list[Step] = []
    for number, step in enumerate(rows):
        found = _step(step, steps[-1].code if steps else record.buggy_code)
        if found is None:
            raise InputError(f"Step {number} of a recorded loop holds no program with its verdicts ({where}).")
        steps.append(found)
    if why := obstacle(record, "visible", can_write=False):
        raise InputError(f"A recorded loop cannot be tried: {why} ({where}).")
    return RecordedLoop(record, tuple(steps))


def _step(step: Any, before: str) -> Step | None:
    """Read a step; None where it is none. `before` is the program of the step before it."""
    if not isinstance(step, dict):
        return None
    code, visible, hidden = step.get("code", before), step.get("visible") or "", step.get("hidden") or ""
    if not isinstance(code, str) or not code or not isinstance(visible, str) or not isinstance(hidden, str):
        return None
    return Step(code, visible, hidden)


def failed(loops: Sequence[RecordedLoop]) -> list[RecordedLoop]:
    """Return the loops that ended with a program that fails the hidden tests, by the record."""
    return [loop for loop in loops if loop.steps[-1].hidden not in ("", PASS)]
