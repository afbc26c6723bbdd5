"""The sandbox on this machine: a warm fork server, a fresh confined process and folder for every run.

What confines them is chosen when the server starts (`start.py`) and named in every report's `isolation`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from selfheal_tui.errors import SandboxError

from .account import Account
from .base import CaseFinished, CaseResult, Outcome, Suite, SuiteFinished, VariantJudged
from .host import Attempt, Server
from .protocol import ProtocolFault
from .start import isolation_names, open_server

_GRACE_S = 1.0
"""What a case may take beyond its time before the process is killed: it could not be interrupted."""
_ATTEMPTS = 25


class LocalSandbox:
    """Runs suites in forked processes of this machine; the server starts with the first run."""

    name = "local"

    def __init__(self, layers: str = "auto", python: str = "", allow_unsandboxed: bool = False) -> None:
        """`layers`: see `start.open_server`; `python`: the interpreter that runs the suites, ours when empty."""
        self._how = (layers, python, allow_unsandboxed)
        self._server: Server | None = None
        self._starting = asyncio.Lock()
        self._attempts: set[Attempt] = set()
        self._isolation: tuple[str, ...] = ()

    @property
    def isolation(self) -> tuple[str, ...]:
        """Names of the layers in force; empty before the server has started."""
        return self._isolation

    async def run(self, suite: Suite) -> AsyncIterator[CaseFinished | SuiteFinished]:
        """Run the suite once; the last value is `SuiteFinished`. Closing the iterator kills the run.

        Raises: SandboxError when the run could not be started.
        """
        account = Account(suite)
        loop = asyncio.get_running_loop()
        began = loop.time()
        async with contextlib.aclosing(self._play(suite, account, rewrite=True)) as cases:
            async for case in cases:
                yield CaseFinished(case)
        yield SuiteFinished(account.report(self.isolation, loop.time() - began), account.coverage)

    async def judge(self, suite: Suite, variants: Iterable[Mapping[str, str]]) -> AsyncIterator[VariantJudged]:
        """Run the suite over `files | variant` for each variant, one process per core, in the order they end.

        Raises: SandboxError.
        """
        width = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        waiting = enumerate(variants)
        running: set[asyncio.Task[VariantJudged]] = set()
        try:
            while True:
                while len(running) < width and (drawn := next(waiting, None)) is not None:
                    running.add(asyncio.create_task(self._judge_one(suite, *drawn)))
                if not running:
                    return
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def aclose(self) -> None:
        """Kill everything that still runs and end the server."""
        for attempt in list(self._attempts):
            attempt.kill()
        server, self._server = self._server, None
        if server is not None:
            await server.aclose()

    async def _judge_one(self, suite: Suite, index: int, variant: Mapping[str, str]) -> VariantJudged:
        changed = replace(suite, files={**suite.files, **variant})
        account = Account(changed)
        async with contextlib.aclosing(self._play(changed, account, rewrite=False)) as cases:
            async for _ in cases:
                pass
        report = account.report(self.isolation, 0.0)
        outcomes: dict[str, Outcome] = {case["id"]: case["outcome"] for case in report["cases"]}
        return VariantJudged(index, outcomes, report["verdict"] == "passed")

    async def _play(self, suite: Suite, account: Account, rewrite: bool) -> AsyncGenerator[CaseResult, None]:
        """Yield cases as they end; a process that dies is followed by another for the cases it left."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + suite.limits.time_s
        for number in range(_ATTEMPTS):
            job = _order(suite, account.finished, rewrite)
            async with (
                self._attempt(suite, job, deadline - loop.time()) as attempt,
                contextlib.aclosing(_follow(suite, account, attempt)) as cases,
            ):
                async for case in cases:
                    yield case
            if not account.next_attempt() or loop.time() >= deadline or number == _ATTEMPTS - 1:
                break
        late = loop.time() >= deadline
        for case in account.give_up(
            "timeout" if late else "error",
            f"the suite's {suite.limits.time_s:g} s were over before this case ran"
            if late
            else "the process ended before this case ran",
        ):
            yield case

    @contextlib.asynccontextmanager
    async def _attempt(self, suite: Suite, job: Mapping[str, Any], seconds: float) -> AsyncIterator[Attempt]:
        attempt = await self._start(suite, job, seconds)
        self._attempts.add(attempt)
        try:
            yield attempt
        finally:
            self._attempts.discard(attempt)
            await attempt.aclose()

    async def _start(self, suite: Suite, job: Mapping[str, Any], seconds: float) -> Attempt:
        for _ in range(3):
            try:
                return Attempt(await self._warm_server(), job, seconds, suite.limits.output_bytes)
            except OSError as error:
                refused = error
                server, self._server = self._server, None
                if server is not None:
                    server.kill()
        raise SandboxError(f"The sandbox takes no run: {refused}.", "Look for a full disk or too many open files.")

    async def _warm_server(self) -> Server:
        async with self._starting:
            if self._server is not None and not self._server.alive:
                self._server.kill()
                self._server = None
            if self._server is None:
                self._server = await open_server(*self._how)
                self._isolation = isolation_names(self._server)
            return self._server


async def _follow(suite: Suite, account: Account, attempt: Attempt) -> AsyncGenerator[CaseResult, None]:
    """Enter one attempt's frames into the account, and its end."""
    loop = asyncio.get_running_loop()
    limits = suite.limits
    began = loop.time()
    overdue = False

    def kill_at() -> float:
        nonlocal overdue
        if account.current is None:
            return float("inf")
        at = began + limits.case_time_s + _GRACE_S
        overdue = loop.time() >= at
        return at

    async for frame in attempt.frames(kill_at):
        try:
            case = account.take(frame, attempt.output.part(account.started - 1))
        except ProtocolFault as fault:
            account.refuse(fault)
            attempt.kill()
            continue
        began = loop.time()
        if case is not None:
            yield case
    account.truncated |= attempt.output.truncated
    assert attempt.end is not None
    cause: Outcome | None = None
    why = ""
    if attempt.flooded:
        cause, why = "error", "the program printed more than 8 MiB"
    elif attempt.end.killed == "memory":
        cause, why = "error", f"the program and what it started held more than {limits.memory_bytes >> 20} MiB"
    elif attempt.end.killed == "disk":
        cause, why = "error", "the program wrote more files or bytes than a run may"
    elif attempt.end.killed == "deadline":
        cause, why = "timeout", f"the suite's {limits.time_s:g} s were over"
    elif overdue and attempt.end.killed:
        cause, why = "timeout", f"no result within {limits.case_time_s:g} s"
    output = attempt.output.part(account.started - 1)
    if (lost := account.close_attempt(attempt.end, cause, why, output)) is not None:
        yield lost


def _order(suite: Suite, finished: list[str], rewrite: bool) -> dict[str, Any]:
    for name in suite.files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
            raise SandboxError(f"The file {name!r} lies outside the work folder.", "Use relative paths without `..`.")
    return {
        "files": dict(suite.files),
        "tests": list(suite.tests),
        "program": list(suite.program),
        "pytest_args": list(suite.pytest_args),
        "time_s": suite.limits.time_s,
        "case_time_s": suite.limits.case_time_s,
        "memory_bytes": suite.limits.memory_bytes,
        "coverage": suite.coverage,
        "stop_on_failure": suite.stop_on_failure,
        "skip": finished,
        "rewrite": rewrite,
    }
