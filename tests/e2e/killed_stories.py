"""A session with all that a session can have, played by a script through the real command, and killed on the way.

Three strategies side by side in each round, a rejection, two repairs, an unreadable reply, an old question answered
again, a fork with a change. After a kill the script does what a human would: `resume`, then whatever is still missing.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sqlite3
import zlib
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from selfheal_tui.engine.history.check import check_session
from selfheal_tui.engine.moment.state import default_policy
from selfheal_tui.engine.moment.timeline import Checkpoint, Timeline
from selfheal_tui.engine.session.workbench import RunOptions, Workbench, default_limits
from selfheal_tui.engine.task.task import Task
from selfheal_tui.store.lock import driver_of
from selfheal_tui.store.sessions import DB_NAME
from tests.e2e.forked_commands import Ended, run_command
from tests.wire.rig import until
from tests.wire.script import Script
from tests.wire.server import Recorded, WireServer

BUGGY = '''def total(prices, discount):
    """Sum the prices, less the discount, never below nothing."""
    return sum(prices) + discount
'''
PARTLY = BUGGY.replace("sum(prices) + discount", "sum(prices) - discount")
RIGHT = BUGGY.replace("sum(prices) + discount", "max(0, sum(prices) - discount)")
TESTS = """from shop import total


def test_no_discount():
    assert total([1, 2], 0) == 3


def test_discount():
    assert total([7, 2, 9], 4) == 14


def test_never_below_nothing():
    assert total([1], 5) == 0
"""
MINIMAL, REWRITE, DEFENSIVE = "smallest change", "Write the faulty function anew", "what else would fail"
"""What only the prompt of each strategy holds."""
NO = "None of these subtracts."
REMARK = "Mind small sums."
DIAGNOSIS = {
    "fault": "code",
    "category": "operator",
    "cause": "The discount is added.",
    "evidence": [{"file": "shop.py", "line": 3, "why": "+ discount"}],
    "strategy": "Subtract it.",
    "confidence": 0.9,
}
ANSWERS: Mapping[str, list[list[str]]] = {
    "main": [["approve"], ["reject"], ["approve"], ["approve"], ["approve"]],
    "again": [["approve"], ["stop"]],
    "forked": [["approve"], ["stop"]],
}
"""Branch -> the answers to its questions, in order; each gets a note of its own."""
LANES = 3
"""Calls that may be in flight at once."""


def script() -> Script:
    """Return the model's replies, by strategy and by what the prompt tells of the session so far."""

    def repair(text: str) -> dict[str, Any]:
        return {"summary": "Change the sum.", "files": [{"path": "shop.py", "text": text}]}

    def wrong(factor: int) -> dict[str, Any]:
        return repair(BUGGY.replace("+ discount", f"+ discount * {factor}"))

    mended = "- discount\n"
    """In the program of the second iteration."""
    return Script.of(
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "when": [DEFENSIVE, mended, "could not be used"], "reply": "Let me think."},
        {"role": "repairer", "when": [DEFENSIVE, mended], "reply": "I would rather talk about it."},
        {"role": "repairer", "when": [MINIMAL, mended], "reply": repair(RIGHT)},
        {"role": "repairer", "when": [REWRITE, mended], "reply": wrong(7)},
        {"role": "repairer", "when": [MINIMAL, REMARK], "reply": repair(RIGHT.replace("0,", "1,"))},
        {"role": "repairer", "when": [MINIMAL, NO], "reply": repair(PARTLY)},
        {"role": "repairer", "when": [REWRITE, NO], "reply": wrong(4)},
        {"role": "repairer", "when": [DEFENSIVE, NO], "reply": wrong(5)},
        {"role": "repairer", "when": MINIMAL, "reply": wrong(2)},
        {"role": "repairer", "when": REWRITE, "reply": wrong(3)},
        {"role": "repairer", "when": DEFENSIVE, "reply": repair(PARTLY.replace("- discount", "- discount * 1"))},
    )


class Moment(NamedTuple):
    """When to kill a process."""

    line: int
    """Once it has printed so many lines of progress; 0: as soon as it runs."""
    delay_s: float = 0.0
    """That much later."""


def moments(count: int, random: Random) -> list[Moment]:
    """Return moments all over a process's life, most of them early in it: it seldom prints twenty lines."""
    delays = (0.0, 0.0, 0.001, 0.002, 0.004, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.4)
    return [Moment(random.choice((0, 1, 1, 2, 3, 4, 5, 6, 8, 10, 12)), random.choice(delays)) for _ in range(count)]


@dataclass(slots=True)
class Disk:
    """What a session's file holds."""

    checkpoints: dict[str, tuple[Any, ...]]
    """Id -> the whole row, byte for byte."""
    decisions: dict[int, tuple[Any, ...]]
    calls: dict[str, str]
    """Key -> question."""
    bodies: dict[str, bytes]

    @classmethod
    def read(cls, path: Path) -> Disk:
        """Read the file beside or after its driver."""
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:

            def rows(sql: str) -> list[tuple[Any, ...]]:
                return connection.execute(sql).fetchall()

            began = rows("select 1 from sqlite_master where name='checkpoints'")
            return cls(
                {row[0]: row for row in rows("select checkpoint_id, * from checkpoints order by rowid")}
                if began
                else {},
                {row[0]: row[:5] for row in rows("select id, asked_at, branch, kind, value from decision")},
                {row[0]: row[1] for row in rows("select key, prompt from call")},
                dict(rows("select ref, body from blob")),
            )

    def keeps(self, earlier: Disk) -> None:
        """Check that nothing of what was there is gone or altered."""
        for now, before in (
            (self.checkpoints, earlier.checkpoints),
            (self.decisions, earlier.decisions),
            (self.calls, earlier.calls),
            (self.bodies, earlier.bodies),
        ):
            assert all(now.get(key) == row for key, row in before.items())


@dataclass(slots=True)
class Story:
    """A session that was played to its end."""

    folder: Path
    disks: list[Disk] = field(default_factory=list)
    """What was on disk at each kill."""
    asked: list[tuple[int, str]] = field(default_factory=list)
    """Each question that reached the model, with how many kills there had been."""
    tree: list[tuple[Any, ...]] = field(default_factory=list)
    heads: dict[str, Any] = field(default_factory=dict)
    """Branch -> its newest moment with all that it names, without times."""
    answers: list[tuple[Any, ...]] = field(default_factory=list)
    """The journal: where each decision was asked, by place in the tree, and what it was."""
    end: Disk | None = None

    @property
    def outcome(self) -> tuple[Any, ...]:
        """What has to be the same, killed or not."""
        assert self.end is not None
        return self.tree, self.answers, self.heads, self.end.calls


class Player:
    """Plays one session in a folder of its own."""

    def __init__(self, home: Path, plan: list[Moment]) -> None:
        self._home, self._plan = home, list(plan)
        self._story: Story
        self._session_id = ""
        self._timeline: Timeline
        self._later: asyncio.TimerHandle | None = None

    async def play(self) -> Story:
        """Play to the end; checks at each kill that the file is whole and has lost nothing."""
        policy = {**default_policy(), "strategies": ["minimal", "rewrite", "defensive"], "near_miss_s": 0.0}
        policy |= {"critic": "off"}
        given = RunOptions("review_repairs", {"*": "ollama:tiny"}, default_limits(), policy)  # type: ignore[arg-type]
        task = Task("fix", "shop", {"shop.py": BUGGY, "test_shop.py": TESTS}, ("shop.py",), ("test_shop.py",))
        bench = Workbench(self._home)
        self._session_id = await bench.create(task, given)
        self._story = Story(bench.store.folder(self._session_id))
        async with WireServer(script()) as server:
            server.watch = self._hear
            environment = {**os.environ, **server.environment()}
            words: list[str] | None = ["resume", self._session_id, "--headless"]
            while words is not None:
                ended = await self._run(words, environment)
                if ended.code == -signal.SIGKILL:
                    # A child that it was just starting holds the lock for another instant.
                    await until(lambda: driver_of(self._story.folder) is None, 10.0)
                    self._look()
                    words = ["resume", self._session_id, "--headless"]
                    continue
                assert ended.code in (0, 1, 3), (words, ended)
                words = await self._next(bench, json.loads(ended.out))
        await self._conclude(bench)
        return self._story

    async def _run(self, words: list[str], environment: Mapping[str, str]) -> Ended:
        moment = self._plan.pop(0) if self._plan else None
        loop = asyncio.get_running_loop()

        def on_line(pid: int, line: int) -> None:
            if moment is not None and line == moment.line:
                self._later = loop.call_later(moment.delay_s, os.kill, pid, signal.SIGKILL)

        try:
            argv = [*words, "--json", "--sessions", str(self._home)]
            return await run_command(argv, environment, self._home / "out", on_line)
        finally:
            if self._later is not None:
                self._later.cancel()

    async def _hear(self, recorded: Recorded, share: float) -> None:
        if share == 0.0:
            texts = {message["role"]: message["content"] for message in recorded.body["messages"]}
            self._story.asked.append((len(self._story.disks), f"{texts['system']}\n\n{texts['user']}"))

    def _look(self) -> None:
        report = check_session(self._story.folder)
        assert report["sound"] and report["driver"] is None, report
        disk = Disk.read(self._story.folder / DB_NAME)
        if self._story.disks:
            disk.keeps(self._story.disks[-1])
        self._story.disks.append(disk)

    async def _next(self, bench: Workbench, result: dict[str, Any]) -> list[str] | None:
        """Return the next command of the script; None when all is done."""
        async with bench.watch_session(self._session_id) as session:
            timeline = self._timeline = await session.timeline()
        names = self._names()
        if result["outcome"] == "waiting":
            branch = names[result["branch"]]
            number = sum(c.branch == result["branch"] and _by_human(c) for c in timeline)
            # The first decision of a branch that answers an old question anew is that answer.
            number -= branch == "again"
            words = ANSWERS[branch][number]
            note = NO if words == ["reject"] else f"{branch} {number}"
            return ["sessions", "decide", self._session_id, *words, "--note", note]
        if "forked" not in names.values():
            at = next(c.id for c in timeline if c.node == "diagnose")
            return [
                *("sessions", "fork", self._session_id, "--at", at),
                *("--set", f"feedback={REMARK}", "--label", "forked", "--run"),
            ]
        if "again" not in names.values():
            old = next(c.id for c in timeline if "review_repair" in c.next)
            return ["sessions", "decide", self._session_id, "approve", "--at", old, "--note", "again"]
        return None

    def _names(self) -> dict[str, str]:
        """Return branch -> what the script calls it."""
        again = {c.branch for c in self._timeline if c.decision and c.decision["note"] == "again"}
        return {name: "again" if name in again else name for name in self._timeline.branches}

    async def _conclude(self, bench: Workbench) -> None:
        story, names = self._story, self._names()
        story.end = Disk.read(story.folder / DB_NAME)
        if story.disks:
            story.end.keeps(story.disks[-1])
        places = {c.id: place for place, c in enumerate(self._timeline)}
        story.tree = [
            (
                *(places.get(c.parent_id or ""), names[c.branch], c.step, c.node, c.next, c.iteration),
                *(c.passed, c.failed, c.pending, c.outcome, c.decision),
            )
            for c in self._timeline
        ]
        story.answers = [
            (places[asked_at], names[branch], kind, json.loads(value))
            for _, asked_at, branch, kind, value in story.end.decisions.values()
        ]
        async with bench.watch_session(self._session_id) as session:
            for branch in self._timeline.branches.values():
                shown = await session.snapshot(branch.head)
                fields = {name: getattr(shown, name) for name in shown.__slots__}
                story.heads[names[branch.name]] = _timeless(fields, story.end.bodies)
        await bench.aclose()


def _by_human(checkpoint: Checkpoint) -> bool:
    return checkpoint.decision is not None and checkpoint.decision["by"] == "human"


_TIMES = ("checkpoint_id", "branch", "duration_s", "time_s", "replayed_calls")
"""What differs from run to run."""
_REF = re.compile(r"[0-9a-f]{64}")


def _timeless(value: Any, bodies: Mapping[str, bytes]) -> Any:
    """Return a value without times, and what it names by hash in the place of the hash."""
    if isinstance(value, Mapping):
        return {key: _timeless(item, bodies) for key, item in value.items() if key not in _TIMES}
    if isinstance(value, list | tuple):
        return [_timeless(item, bodies) for item in value]
    if not isinstance(value, str):
        return value
    if _REF.fullmatch(value) and value in bodies:
        text = zlib.decompress(bodies[value]).decode()
        try:
            return _timeless(json.loads(text), bodies)
        except ValueError:
            return text
    return re.sub(r"\d+(\.\d+)? (m?s|seconds)\b", "TIME", value)
