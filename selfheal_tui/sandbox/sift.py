"""Sifting: thousands of candidate programs a second, to find the few that are worth a verdict.

One confined child judges a batch of them, one after the other. A candidate may lie, or spoil the process for those
after it, so what comes out only selects: whatever is kept is judged again by `Sandbox.judge` or `run`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from typing import Any

from .base import Suite
from .follow import order_of
from .host import Attempt
from .inside.sift.changes import packed

Variant = Mapping[str, str]
_BATCH_S = 0.25
"""How long a batch should take: several share a round evenly, and a process that is spoilt spoils few."""
_START_SHARE = 4
"""Or this much longer than a process takes to collect the cases."""
_FIRST_BATCH, _MOST_BATCH = 32, 1000
_STALL_S = 1.0
"""A candidate that nothing interrupts (in C) for this much more than its time is killed."""
_ATTEMPT_S = 60.0

OpenAttempt = Callable[[Suite, Mapping[str, Any], float], AbstractAsyncContextManager[Attempt]]


@dataclass(frozen=True, slots=True)
class SiftLimits:
    """What one candidate may use; far less than a run, as most are wrong."""

    time_s: float = 1.0
    """Wall clock for all its cases."""
    fuel: int = 100_000
    """Rounds of loops for each case."""
    patience: int = 4
    """Failing cases that may fail in a row before the candidate is given up."""


@dataclass(frozen=True, slots=True)
class Sifted:
    """Some candidates ran."""

    judged: int
    """How many since the last value."""
    marks: tuple[Mark, ...]
    """Those of them that pass a failing case."""
    unsure: tuple[int, ...] = ()
    """Those of them, by index, that may pass more: the tests hold something of the program as it was."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A candidate that passes a failing case, as its own process says."""

    index: int
    fixes: frozenset[str]
    """Failing cases that pass."""
    breaks: frozenset[str]
    """Cases that passed and do not now; the first few, unless all failing ones pass."""
    whole: bool
    """Every case was run and passed."""


@dataclass(slots=True)
class Pace:
    """How many candidates a process gets; kept from one call to the next."""

    batch: int = _FIRST_BATCH
    least: int = _FIRST_BATCH
    """As many as are judged while a process starts: fewer are not worth one."""

    def adapt(self, judged: int, start_s: float, took_s: float) -> None:
        """Learn from a whole batch; `start_s` is how long its process took to collect the cases."""
        self.least = min(_MOST_BATCH, max(_FIRST_BATCH, int(judged * start_s / max(took_s, 1e-3))))
        aim_s = max(_BATCH_S, _START_SHARE * start_s)
        if took_s < aim_s / 2:
            self.batch = min(_MOST_BATCH, max(self.batch * 2, int(self.batch * aim_s / max(took_s, 1e-3) / 2)))
        elif took_s > aim_s * 2:
            self.batch = max(_FIRST_BATCH, self.batch // 2)


class Unfit(Exception):
    """The suite needs pytest, so a batch cannot run it."""


async def sift(
    open_attempt: OpenAttempt,
    width: int,
    suite: Suite,
    variants: Sequence[Variant],
    cases: tuple[Sequence[str], Sequence[str]],
    limits: SiftLimits,
    plain: bool = False,
    pace: Pace | None = None,
    first: Sequence[Sequence[int]] = (),
) -> AsyncGenerator[Sifted, None]:
    """Judge every variant of the suite's program, `width` processes at a time; `cases` are (failing, passing) ids.

    `first` is for each variant which failing cases, by position, are run before the others; empty for their order.
    `plain`: no file of the suite names pytest. `pace` is what an earlier call has learnt. Values come as processes
    report; closing the iterator kills them.
    Raises: SandboxError, Unfit.
    """
    sifted: asyncio.Queue[Sifted | BaseException | None] = asyncio.Queue()
    work = _Work(open_attempt, width, suite, variants, cases, limits, plain, pace or Pace(), sifted, first)
    tasks = [asyncio.create_task(work.run()) for _ in range(width)]
    try:
        running = len(tasks)
        while running:
            value = await sifted.get()
            if value is None:
                running -= 1
            elif isinstance(value, BaseException):
                raise value
            else:
                yield value
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Work:
    """The variants still to judge, shared by the tasks that each follow one process at a time."""

    def __init__(
        self,
        open_attempt: OpenAttempt,
        width: int,
        suite: Suite,
        variants: Sequence[Variant],
        cases: tuple[Sequence[str], Sequence[str]],
        limits: SiftLimits,
        plain: bool,
        pace: Pace,
        sifted: asyncio.Queue[Sifted | BaseException | None],
        first: Sequence[Sequence[int]],
    ) -> None:
        self._open = open_attempt
        self._width = width
        self._suite = suite
        self._variants = variants
        self._failing, self._passing = cases
        self._limits = limits
        self._plain = plain
        self._pace = pace
        self._sifted = sifted
        self._first = first
        self._next = 0
        self._compiled: list[Any] = []

    async def run(self) -> None:
        """Take batches until there are none."""
        try:
            while self._next < len(self._variants):
                left = len(self._variants) - self._next
                begin, self._next = (
                    self._next,
                    self._next + min(left, self._pace.batch, max(self._pace.least, -(-left // self._width))),
                )
                await self._judge(list(range(begin, self._next)))
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self._sifted.put_nowait(error)
        self._sifted.put_nowait(None)

    async def _judge(self, indices: list[int]) -> None:
        """Judge them all; a process that dies is followed by another, without the candidate that took it along."""
        careful = False
        while indices:
            began = asyncio.get_running_loop().time()
            done, renew, ended, ready = await self._attempt(indices, careful)
            if ended and done == len(indices):
                self._pace.adapt(done, ready - began, asyncio.get_running_loop().time() - ready)
            indices = indices[done:]
            if ended or renew:
                careful = False
                if not done and not renew:
                    self._lose(indices)
                    return
            elif careful:
                # Each was reported as it ended, so the first that was not took the process with it.
                self._sifted.put_nowait(Sifted(1, ()))
                indices = indices[1:]
                careful = False
            else:
                careful = True

    def _lose(self, indices: Sequence[int]) -> None:
        self._sifted.put_nowait(Sifted(len(indices), ()))

    async def _attempt(self, indices: list[int], careful: bool) -> tuple[int, bool, bool, float]:
        """Return how many were judged, whether it asked for another process, whether it came to its end, and when
        (by the loop's clock) it had collected its cases."""
        suite, limits = self._suite, self._limits
        order = order_of(
            suite,
            role="sift",
            plain=self._plain,
            rewrite=False,
            variants=[packed(suite.files, self._variants[index]) for index in indices],
            failing=list(self._failing),
            passing=list(self._passing),
            first=[list(self._first[index]) for index in indices] if self._first else [],
            variant_time_s=limits.time_s,
            fuel=limits.fuel,
            patience=limits.patience,
            careful=careful,
            compiled=self._compiled,
            want_compiled=not self._compiled,
        )
        loop = asyncio.get_running_loop()
        heard, ready = loop.time(), 0.0
        done, renew, ended = 0, False, False
        async with (
            self._open(suite, order, _ATTEMPT_S) as attempt,
            # Collecting the cases takes as long as it takes; from then on each candidate has its time.
            aclosing(attempt.frames(lambda: heard + (limits.time_s + _STALL_S if ready else _ATTEMPT_S))) as frames,
        ):
            async for frame in frames:
                heard = loop.time()
                match frame.get("t"):
                    case "unfit":
                        raise Unfit
                    case "ready":
                        ready = heard
                    case "compiled" if not self._compiled:
                        self._compiled = _checked(frame.get("files"))
                    case "sifted" if isinstance(results := frame.get("found"), list):
                        results = results[: len(indices) - done]
                        marks = [self._mark(indices[done + at], one) for at, one in enumerate(results) if one]
                        unsure = tuple(indices[done + at] for at, one in enumerate(results) if _is_unsure(one))
                        done += len(results)
                        self._sifted.put_nowait(Sifted(len(results), tuple(mark for mark in marks if mark), unsure))
                    case "renew":
                        renew = True
                    case "done":
                        ended = True
        return done, renew, ended, ready

    def _mark(self, index: int, mark: Any) -> Mark | None:
        match mark:
            case [int(passed), int(ran), bool()]:
                pass
            case _:
                return None
        cases = [*self._failing, *self._passing]
        fixes = frozenset(case for bit, case in enumerate(self._failing) if passed >> bit & 1)
        broken = ran & ~passed
        breaks = frozenset(case for bit, case in enumerate(self._passing, len(self._failing)) if broken >> bit & 1)
        return Mark(index, fixes, breaks, passed == (1 << len(cases)) - 1) if fixes else None


def _is_unsure(mark: Any) -> bool:
    return isinstance(mark, list) and mark[-1:] == [False]


def _checked(files: Any) -> list[Any]:
    """Return compiled test files as a child sent them, if they look like it: another child will load them."""
    return files if isinstance(files, list) else []
