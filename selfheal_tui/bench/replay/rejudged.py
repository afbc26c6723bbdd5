"""Our own verdicts on recorded programs, each on disk as soon as it is there: a stopped replay goes on from them."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict

from selfheal_tui.errors import SessionError
from selfheal_tui.sandbox.base import Limits, Sandbox, Suite, SuiteReport, run_through
from selfheal_tui.store.blobs import json_text, text_ref
from selfheal_tui.text import one_line
from selfheal_tui.walled import read_below

from ..suites.cases import build_task, build_verdict, program_path
from .recorded import RecordedLoop

FILE = "verdicts.jsonl"
_LIMITS = Limits(time_s=30.0, case_time_s=5.0)
_MOST_BYTES = 1_000_000_000


class OurVerdict(TypedDict):
    """What our sandbox says of a program."""

    visible: bool
    hidden: bool
    why: str
    """The first failure, in one line; empty where all tests pass."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A program has its verdict, and it is on disk."""

    record_id: str
    step: int
    verdict: OurVerdict


class Verdicts:
    """The file of verdicts in a replay's folder. A verdict is found by program and tests: other data finds none."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self.found: dict[str, OurVerdict] = {}
        try:
            content = read_below(folder, Path(FILE), _MOST_BYTES)
        except FileNotFoundError:
            return
        except OSError as error:
            raise SessionError(f"{self._path} cannot be read ({error.strerror}).") from error
        for line in content.splitlines():
            try:
                row = json.loads(line)
                verdict = row["verdict"]
                self.found[row["key"]] = {
                    "visible": verdict["visible"] is True,
                    "hidden": verdict["hidden"] is True,
                    "why": str(verdict["why"]),
                }
            except (ValueError, TypeError, KeyError):
                continue  # cut off: it is judged again

    def add(self, key: str, verdict: OurVerdict) -> None:
        """Write a verdict down. Raises: SessionError."""
        line = "\n" + json.dumps({"key": key, "verdict": verdict})
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o644)
            with open(descriptor, "ab", buffering=0) as file:
                file.write(line.encode())
        except OSError as error:
            raise SessionError(f"{self._path} cannot be written ({error.strerror}).") from error
        self.found[key] = verdict


def key_of(loop: RecordedLoop, code: str) -> str:
    """Return under what the verdict on a program is kept."""
    record = loop.record
    return text_ref(json_text([record.entry_point, code, record.visible_tests, record.hidden_tests]))


def programs(loops: Sequence[RecordedLoop]) -> dict[str, tuple[RecordedLoop, int]]:
    """Return key -> the first loop and step with this program; each program is judged once."""
    found: dict[str, tuple[RecordedLoop, int]] = {}
    for loop in loops:
        for number, step in enumerate(loop.steps):
            found.setdefault(key_of(loop, step.code), (loop, number))
    return found


async def judge_all(
    sandbox: Sandbox, loops: Sequence[RecordedLoop], verdicts: Verdicts, jobs: int
) -> AsyncGenerator[Judged, None]:
    """Judge what has no verdict yet, so many at a time. Closing the iterator stops. Raises: SandboxError."""
    waiting: Iterator[tuple[str, tuple[RecordedLoop, int]]] = iter(
        [(key, where) for key, where in programs(loops).items() if key not in verdicts.found]
    )
    running: dict[asyncio.Task[OurVerdict], tuple[str, RecordedLoop, int]] = {}
    try:
        while True:
            while len(running) < jobs and (one := next(waiting, None)) is not None:
                key, (loop, number) = one
                running[asyncio.create_task(_judge(sandbox, loop, number))] = (key, loop, number)
            if not running:
                return
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                key, loop, number = running.pop(task)
                verdict = task.result()
                verdicts.add(key, verdict)
                yield Judged(loop.record.id, number, verdict)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _judge(sandbox: Sandbox, loop: RecordedLoop, number: int) -> OurVerdict:
    record = replace(loop.record, buggy_code=loop.steps[number].code)
    task = build_task(record, "visible")
    visible_suite = Suite(task.files, task.tests, task.program, limits=_LIMITS, verify=True)
    hidden_suite = build_verdict(record, {program_path(record): record.buggy_code}, "hidden")
    visible = (await run_through(sandbox, visible_suite)).report
    hidden = (await run_through(sandbox, replace(hidden_suite, limits=_LIMITS))).report
    return {
        "visible": visible["verdict"] == "passed",
        "hidden": hidden["verdict"] == "passed",
        "why": _why(visible) or _why(hidden),
    }


def _why(report: SuiteReport) -> str:
    if report["verdict"] == "passed":
        return ""
    failing = [case for case in report["cases"] if case["outcome"] not in ("passed", "skipped")]
    text = f"{failing[0]['outcome']}: {failing[0]['message']}" if failing else report["error"] or report["verdict"]
    return one_line(text, 160)
