"""Runs the real command against the fake server, kills it at planned moments of its model calls, and resumes it.

The moments come from the server, which knows how much of which reply has gone out; nothing here sleeps to hit one.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from selfheal_tui.store.packing import unpack
from selfheal_tui.store.sessions import DB_NAME
from tests.e2e.forked_commands import run_command
from tests.wire.script import Script
from tests.wire.server import Recorded, WireServer

SPEC = "Write total(prices, discount): the sum of the prices, less the discount."
TESTS = """from solution import total


def test_no_discount():
    assert total([1, 2], 0) == 3


def test_discount():
    assert total([5, 5], 3) == 7
"""
WRONG = "def total(prices, discount):\n    return sum(prices) + discount\n"
WORSE = "def total(prices, discount):\n    return discount\n"
RIGHT = "def total(prices, discount):\n    return sum(prices) - discount\n"
_DIAGNOSIS = {
    "fault": "code",
    "category": "operator",
    "cause": "The discount is added.",
    "evidence": [{"file": "solution.py", "line": 2, "why": "+ discount"}],
    "strategy": "Subtract it.",
    "confidence": 0.9,
}


def script() -> Script:
    """Return the replies of a run of seven calls: an unreadable program asked for again, a repair that fails, one
    that heals."""

    def repair(text: str) -> dict[str, Any]:
        return {"summary": "Change the sum.", "files": [{"path": "solution.py", "text": text}]}

    return Script.of(
        {"role": "spec_tester", "reply": {"tests": TESTS}},
        {"role": "generator", "when": "could not be used", "reply": {"code": WRONG}},
        {"role": "generator", "reply": "I would rather talk about it first."},
        {"role": "debugger", "reply": _DIAGNOSIS},
        {"role": "repairer", "when": "Iteration 1 (minimal), ", "reply": repair(RIGHT)},
        {"role": "repairer", "reply": repair(WORSE)},
    )


CALLS = 7


class Moment(NamedTuple):
    """When to kill."""

    call: int
    """In the process's so-manieth model call, from 1."""
    share: float
    """Once that much of the reply has gone out: 0.0 nothing, 1.0 all of it."""
    delay_s: float = 0.0
    """That much later."""


def moments(count: int, random: Random) -> list[Moment]:
    """Return moments before, in and after replies; most of them soon after, while the reply is written down."""
    return [
        Moment(
            random.choice((1, 1, 2, 3)),
            random.choice((0.0, 0.1, 0.5, 0.9, 1.0, 1.0, 1.0, 1.0)),
            random.choice((0.0, 0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)),
        )
        for _ in range(count)
    ]


@dataclass(slots=True)
class Asked:
    """A model call, as the server saw it."""

    process: int
    """In which process of the run, from 0."""
    question: str
    """System prompt and user message."""
    whole: bool = False
    """Whether the reply went out to its end."""


@dataclass(slots=True)
class Ran:
    """A run to its end, over as many processes as it took."""

    result: dict[str, Any]
    asked: list[Asked]
    on_disk: list[set[str]] = field(default_factory=list)
    """For each kill, the questions whose replies were in the session's file then."""
    nodes: list[str] = field(default_factory=list)
    """What wrote the checkpoints, oldest first."""
    branches: set[str] = field(default_factory=set)

    @property
    def outcome(self) -> tuple[Any, ...]:
        """What has to be the same, killed or not."""
        result, report = self.result, self.result["report"]
        cases = [(case["id"], case["outcome"]) for case in report["cases"]]
        told = (result["outcome"], result["iteration"], result["reason"], result["files"], report["verdict"], cases)
        return *told, self.nodes, self.branches


class Reaper:
    """The server's watch: writes down what was asked and kills the process when its moment has come."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self._process = -1
        self._pid = 0
        self._moment: Moment | None = None
        self._calls = 0
        self._killed = False
        self._open: dict[int, tuple[Asked, int]] = {}
        self._later: asyncio.Task[None] | None = None

    def arm(self, pid: int, moment: Moment | None) -> None:
        """Take on a new process."""
        self._process += 1
        self._pid, self._moment, self._calls, self._killed = pid, moment, 0, False

    def disarm(self) -> None:
        """Let go of a process that has ended: its number may soon be another's."""
        self._pid = 0
        if self._later is not None:
            self._later.cancel()
            self._later = None

    async def __call__(self, recorded: Recorded, share: float) -> None:
        if share == 0.0:
            self._calls += 1
            asked = Asked(self._process, _question(recorded.body))
            self.asked.append(asked)
            self._open[id(recorded)] = asked, self._calls
        asked, number = self._open[id(recorded)]
        # What goes on after the kill is sent to nobody.
        asked.whole = asked.whole or (share == 1.0 and self._process == asked.process and not self._killed)
        moment = self._moment
        if moment is None or number != moment.call or share < moment.share:
            return
        self._moment = None
        if moment.delay_s:
            self._later = asyncio.create_task(self._kill_later(moment.delay_s))
        else:
            self._kill()

    async def _kill_later(self, delay_s: float) -> None:
        await asyncio.sleep(delay_s)
        self._kill()

    def _kill(self) -> None:
        if self._pid:
            self._killed = True
            os.kill(self._pid, signal.SIGKILL)


async def run_killed(folder: Path, provider: str, plan: list[Moment]) -> Ran:
    """Run `selfheal new` with one kill after the other, and resume until it ends by itself."""
    reaper, on_disk, left = Reaper(), list[set[str]](), list(plan)
    words = ["new", SPEC, "--model", f"{provider}:tiny", "--autonomy", "full_auto"]
    async with WireServer(script()) as server:
        server.watch = reaper
        environment = {**os.environ, **server.environment()}
        while True:
            moment = left.pop(0) if left else None

            def on_line(pid: int, line: int, moment: Moment | None = moment) -> None:
                if line == 0:
                    reaper.arm(pid, moment)

            argv = [*words, "--sessions", str(folder), "--json"]
            ended = await run_command(argv, environment, folder.with_suffix(".out"), on_line)
            reaper.disarm()
            words = ["resume"]
            if ended.code == -signal.SIGKILL:
                on_disk.append(_recorded(folder))
                continue
            assert ended.code == 0, ended.err
            # It may end before its moment comes: what is left of the plan would need another run.
            nodes, branches = _history(folder)
            return Ran(json.loads(ended.out), reaper.asked, on_disk, nodes, branches)


def _question(body: Any) -> str:
    texts = {message["role"]: message["content"] for message in body["messages"]}
    return f"{texts['system']}\n\n{texts['user']}"


def _rows(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    (path,) = folder.glob(f"*/{DB_NAME}")
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchall()


def _recorded(folder: Path) -> set[str]:
    return {unpack(prompt) for (prompt,) in _rows(folder, "select prompt from call")}


def _history(folder: Path) -> tuple[list[str], set[str]]:
    facts = [json.loads(row[0]) for row in _rows(folder, "select metadata from checkpoints order by rowid")]
    return [fact["node"] for fact in facts], {fact["branch"] for fact in facts}
