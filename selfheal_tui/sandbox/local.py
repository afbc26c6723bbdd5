"""The sandbox on this machine: a warm fork server, a fresh confined process and folder for every run.

What confines them is chosen when the server starts (`start.py`) and named in every report's `isolation`.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import re
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from selfheal_tui.errors import SandboxError
from selfheal_tui.side_by_side import cores, merged

from .account import Account
from .allowance import Allowance, allowed_words, allowing_flags
from .base import (
    NOT_JUDGED_AGAIN,
    CaseFinished,
    CaseResult,
    Outcome,
    Suite,
    SuiteFinished,
    SuiteReport,
    VariantJudged,
    run_through,
)
from .examine import Examined, ask, examine
from .follow import follow, order_of
from .force import Forced, force
from .host import Attempt, RunServer
from .inside.fast import plain_tests
from .inside.preload import HEAVY
from .inside.roots import module_names
from .sift import Pace, Sifted, SiftLimits, Variant, sift
from .split_judge import halves, in_both, obstacle, roots_of, second_opinion
from .start import UNSANDBOXED, isolation_names, open_server
from .workers import joined, number_of_workers, parts_of

_ATTEMPTS = 25
_IMPORTS = re.compile(rf"^\s*(?:import|from)\s+({'|'.join(HEAVY)})\b", re.MULTILINE)
_PYTEST = re.compile(r"pytest|unittest|doctest")


class LocalSandbox:
    """Runs suites in forked processes of this machine; the server starts with the first run."""

    name = "local"

    def __init__(
        self,
        layers: str = "auto",
        python: str = "",
        allow_unsandboxed: bool = False,
        allowed: Allowance = Allowance(),  # noqa: B008 - a frozen value
    ) -> None:
        """`layers`: see `start.open_server`; `python`: the interpreter that runs the suites, ours when empty."""
        self._how = (layers, python, allow_unsandboxed, allowed)
        self._allowed = allowed
        self._servers: dict[tuple[bool, frozenset[str]], RunServer] = {}
        """(with pytest, packages imported ahead) -> server."""
        self._starting = asyncio.Lock()
        self._attempts: set[Attempt] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._pace = Pace()
        self._isolation: tuple[str, ...] = ()

    async def layers(self) -> dict[str, str]:
        """Return layer -> empty when in force, else why not; stronger tiers that do not work here are named too.

        Raises: SandboxError when none works.
        """
        server = await self._warm_server()
        why = server.not_used.get("namespaces", "")
        layers = {name: state.replace("not in this tier", why or "not used") for name, state in server.layers.items()}
        return {**{f"tier {tier}": state for tier, state in server.not_used.items()}, **layers}

    @property
    def isolation(self) -> tuple[str, ...]:
        """Names of the layers in force; empty before the server has started."""
        return self._isolation

    async def warm_up(self, suite: Suite) -> None:
        """Start the server that a run of the suite will fork from, then the one for variants. Raises: SandboxError."""
        wanted = heavy_imports(suite)
        await self._warm_server(wanted)
        if self._plain(suite):
            await self._warm_server(wanted, pytest=False)

    async def run(self, suite: Suite) -> AsyncGenerator[CaseFinished | SuiteFinished, None]:
        """Run the suite once; the last value is `SuiteFinished`. Closing the iterator kills the run.

        Raises: SandboxError when the run could not be started.
        """
        parts = parts_of(suite, number_of_workers(suite, cores()))
        ended: list[SuiteFinished] = []
        async with contextlib.aclosing(merged(map(self._run_part, parts))) as values:
            async for value in values:
                if isinstance(value, SuiteFinished):
                    ended.append(value)
                elif len(parts) > 1:
                    yield replace(value, of=0)  # a part knows of its own cases only
                else:
                    yield value
        whole = ended[0] if len(parts) == 1 else joined(suite, ended)
        report = whole.report
        if self._allowed.names():
            report["notes"] = [*report.get("notes", []), self._allowed_note()]
        if suite.verify and report["verdict"] == "passed":
            report = await self.verify(replace(suite, coverage=False), report)
        yield replace(whole, report=report)

    async def verdict(self, suite: Suite) -> SuiteReport:
        """Run the suite once and say how it ended; without pytest where no test needs it, in a quarter of the time.

        Cases then say less. Who judges is the same: the account of each case, then `verify` where the suite asks for
        it. Raises: SandboxError when the run could not be started.
        """
        account = Account(suite)
        loop = asyncio.get_running_loop()
        began = loop.time()
        if self._plain(suite):
            async for _ in self._play(suite, account, quiet=True, plain=True, rewrite=False):
                pass
        if not account.told_its_end:
            # It needs pytest, or took what it had not said yet with it: word by word.
            return (await run_through(self, suite)).report
        report = account.report(self.isolation, loop.time() - began)
        return await self.verify(suite, report) if suite.verify and report["verdict"] == "passed" else report

    async def _run_part(self, suite: Suite) -> AsyncGenerator[CaseFinished | SuiteFinished, None]:
        account = Account(suite)
        loop = asyncio.get_running_loop()
        began = loop.time()
        how = {} if suite.explain else {"rewrite": False, "plain": self._plain(suite)}
        async with contextlib.aclosing(self._play(suite, account, **how)) as cases:
            async for case in cases:
                yield CaseFinished(case, account.number_of_cases)
        report = account.report(self.isolation, loop.time() - began)
        yield SuiteFinished(report, account.coverage, account.watched)

    def _allowed_note(self) -> str:
        names = self._allowed.names()
        return f"The tests could {allowed_words(names)} ({allowing_flags(names)})."

    async def judge(self, suite: Suite, variants: Iterable[Mapping[str, str]]) -> AsyncGenerator[VariantJudged, None]:
        """Run the suite over `files | variant` for each variant, one process per core, in the order they end.

        Raises: SandboxError.
        """
        compiled: list[Any] = []
        plain = self._plain(suite)
        width = cores()
        waiting = enumerate(variants)
        running: set[asyncio.Task[VariantJudged]] = set()
        done: set[asyncio.Task[VariantJudged]] = set()
        try:
            while True:
                while len(running) < width and (drawn := next(waiting, None)) is not None:
                    running.add(asyncio.create_task(self._judge_one(suite, plain, compiled, *drawn)))
                if not running:
                    return
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
        finally:
            for task in running:
                task.cancel()
            # Those that ended together fail together: an error that nobody takes is printed at the end of the process.
            await asyncio.gather(*running, *done, return_exceptions=True)

    def _end_later(self, stack: contextlib.AsyncExitStack) -> None:
        """Close what is over for the caller: two processes take as long to end as a small run takes."""
        task = asyncio.create_task(stack.aclose())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def sift(
        self,
        suite: Suite,
        variants: Sequence[Variant],
        cases: tuple[Sequence[str], Sequence[str]],
        limits: SiftLimits,
        first: Sequence[Sequence[int]] = (),
    ) -> AsyncGenerator[Sifted, None]:
        """Judge thousands of variants a second, several in one process: a selection, never a verdict.

        `cases` are the ids of those that fail and of those that pass without a change, `first` is as in `sift.sift`.
        Raises: SandboxError, Unfit.
        """
        return sift(self._attempt, cores(), suite, variants, cases, limits, self._plain(suite), self._pace, first)

    async def examine(self, suite: Suite, limits: SiftLimits) -> Examined:
        """Say what the expressions of the program are while its cases run. Raises: SandboxError, Unfit."""
        return await examine(self._attempt, suite, limits, plain=self._plain(suite))

    async def ask(
        self, suite: Suite, variants: Sequence[Variant], calls: Sequence[str], limits: SiftLimits
    ) -> list[list[str]]:
        """Return what each variant answers to calls written as the tests write them; see `examine.ask`.

        Raises: SandboxError, Unfit.
        """
        return await ask(self._attempt, suite, variants, calls, limits, plain=self._plain(suite))

    async def force(
        self,
        suite: Suite,
        variant: Variant,
        trials: Sequence[Sequence[str]],
        cases: tuple[Sequence[str], Sequence[str]],
        limits: SiftLimits,
        seconds: float,
    ) -> list[Forced]:
        """Say with which outcomes at places of the variant failing cases pass; see `force.force`.

        Raises: SandboxError, Unfit.
        """
        return await force(self._attempt, suite, variant, trials, cases, limits, seconds, self._plain(suite))

    async def aclose(self) -> None:
        """Kill everything that still runs and end the server."""
        for attempt in list(self._attempts):
            attempt.kill()
        await asyncio.gather(*self._ending, return_exceptions=True)
        servers, self._servers = list(self._servers.values()), {}
        for server in servers:
            await server.aclose()

    async def _judge_one(
        self, suite: Suite, plain: bool, compiled: list[Any], index: int, variant: Mapping[str, str]
    ) -> VariantJudged:
        """`compiled` holds the test files once a run has compiled them: two thirds of a small run's time."""
        changed = replace(suite, files={**suite.files, **variant})
        account = Account(changed)
        same_tests = not any(path in variant for path in suite.tests)
        plain_code = compiled if same_tests else []
        plain = plain and same_tests and not any(_PYTEST.search(text) for text in variant.values())
        how = {"rewrite": False, "compiled": plain_code, "plain": plain}
        async for _ in self._play(changed, account, quiet=True, want_compiled=same_tests and not plain_code, **how):
            pass
        if not account.told_its_end:
            # It took what it had not said yet with it: once more, word by word.
            account = Account(changed)
            async for _ in self._play(changed, account, **how):
                pass
        if account.compiled and not compiled:
            compiled += account.compiled
        report = account.report(self.isolation, 0.0)
        outcomes: dict[str, Outcome] = {case["id"]: case["outcome"] for case in report["cases"]}
        return VariantJudged(index, outcomes, report["verdict"] == "passed")

    async def verify(self, suite: Suite, report: SuiteReport) -> SuiteReport:
        """Judge a passing suite again, the tests and the program each in a process of their own.

        `report` is what the suite's own run said. Raises: SandboxError.
        """
        why_not = "Without a sandbox the program could reach its judge." if self._unsafe else obstacle(suite)
        if why_not:
            return {**report, "not_verified": f"{NOT_JUDGED_AGAIN}: {why_not}"}
        program, tests = halves(suite)
        account = Account(tests)
        seconds = tests.limits.time_s
        plain = self._plain(suite)
        roots = roots_of(suite)
        theirs = order_of(program, role="candidate", tests=[], roots=roots, plain=plain)
        modules = list(module_names(suite.program, roots))
        ours = order_of(tests, role="judge", modules=modules, roots=roots, rewrite=False, quiet=True, plain=plain)
        async with contextlib.AsyncExitStack() as stack:
            with contextlib.ExitStack() as sockets:
                # Ours are closed once both have theirs: the end of one must be seen by the other.
                here, there = map(sockets.enter_context, socket.socketpair())
                await stack.enter_async_context(self._attempt(program, theirs, seconds, here.fileno()))
                judge = await stack.enter_async_context(self._attempt(tests, ours, seconds, there.fileno()))
            async for _ in follow(tests, account, judge, quiet=True, take_its_word=True):
                pass
            if account.told_its_end:
                self._end_later(stack.pop_all())
        account.give_up("error", "the judge ended before this case ran")
        return second_opinion(report, account.report(self.isolation, 0.0), account.remarks, lambda: in_both(suite))

    async def _play(self, suite: Suite, account: Account, **how: Any) -> AsyncGenerator[CaseResult, None]:
        """Yield cases as they end; a process that dies is followed by another for the cases it left."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + suite.limits.time_s
        for number in range(_ATTEMPTS):
            job = order_of(suite, skip=account.finished, **how)
            async with (
                self._attempt(suite, job, deadline - loop.time()) as attempt,
                contextlib.aclosing(follow(suite, account, attempt, how.get("quiet", False))) as cases,
            ):
                async for case in cases:
                    yield case
            if how.get("quiet") and not account.told_its_end:
                return  # which case took the process with it was not said yet
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
    async def _attempt(
        self, suite: Suite, job: Mapping[str, Any], seconds: float, *peer: int
    ) -> AsyncIterator[Attempt]:
        """`peer` is the descriptor of a socket to another attempt."""
        attempt = await self._start(suite, job, seconds, peer)
        self._attempts.add(attempt)
        try:
            yield attempt
        finally:
            self._attempts.discard(attempt)
            await attempt.aclose()

    async def _start(self, suite: Suite, job: Mapping[str, Any], seconds: float, peer: Sequence[int]) -> Attempt:
        for _ in range(3):
            server: RunServer | None = None
            try:
                server = await self._warm_server(heavy_imports(suite), not job.get("plain"))
                return Attempt(server, job, seconds, suite.limits.output_bytes, peer)
            except OSError as error:
                refused = error
                if server is not None:
                    server.kill()
        raise SandboxError(f"The sandbox takes no run: {refused}.", "Look for a full disk or too many open files.")

    def _plain(self, suite: Suite) -> bool:
        """Tell whether a server without pytest can run it: no test needs anything of it, no file names it."""
        return (
            not (suite.pytest_args or (suite.coverage and suite.explain) or suite.watch)
            and not any(_PYTEST.search(text) for text in suite.files.values())
            and _are_plain(
                tuple((path, text if path in suite.tests else "") for path, text in suite.files.items()),
                tuple(suite.tests),
            )
        )

    @property
    def _unsafe(self) -> bool:
        return UNSANDBOXED in self._isolation

    async def _open(self, preload: Collection[str], pytest: bool) -> RunServer:
        return await open_server(*self._how, preload, pytest)

    async def _warm_server(self, wanted: frozenset[str] = frozenset(), pytest: bool = True) -> RunServer:
        """Return a server that has these packages imported; it is one that has all that were ever wanted."""
        if (ready := self._ready(wanted, pytest)) is not None:
            return ready  # also while another one starts
        async with self._starting:
            for key, server in list(self._servers.items()):
                if not server.alive:
                    server.kill()
                    del self._servers[key]
            if (ready := self._ready(wanted, pytest)) is not None:
                return ready
            preload = wanted.union(*(packages for _, packages in self._servers))
            self._servers[pytest, preload] = server = await self._open(preload, pytest)
            self._isolation = (*isolation_names(server), *self._allowed.names())
            return server

    def _ready(self, wanted: frozenset[str], pytest: bool) -> RunServer | None:
        return next(
            (s for (has, packages), s in self._servers.items() if has == pytest and wanted <= packages and s.alive),
            None,
        )


@functools.lru_cache(maxsize=256)
def _are_plain(files: tuple[tuple[str, str], ...], tests: tuple[str, ...]) -> bool:
    """Tell whether `plain_tests` takes these; kept, because the same tests judge one program after the other."""
    return bool(plain_tests(dict(files), tests))


def heavy_imports(suite: Suite) -> frozenset[str]:
    """Return the packages worth importing ahead that a file of the suite imports."""
    modules = (match for text in suite.files.values() for match in _IMPORTS.findall(text))
    return frozenset(modules)
