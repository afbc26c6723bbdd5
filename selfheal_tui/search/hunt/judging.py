"""Judges candidates: many at a time to find the hopeful ones, then each of those in a process of its own."""

from __future__ import annotations

import ast
import asyncio
import math
import time
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from selfheal_tui.python_source import parse_python
from selfheal_tui.sandbox.account import ENDED, HELD_TOO_MUCH, PRINTED_TOO_MUCH
from selfheal_tui.sandbox.base import CaseResult, Coverage, Limits, Outcome, Sandbox, Suite, SuiteReport, VariantJudged
from selfheal_tui.sandbox.examine import Examined
from selfheal_tui.sandbox.flips import Flips
from selfheal_tui.sandbox.force import Forced
from selfheal_tui.sandbox.sift import Mark, Sifted, SiftLimits, Unfit, Variant

from ..program.localise import is_failing
from ..program.own_tests import files_with_own_tests
from ..program.purified import NO_COPIES, Purified, copied_from
from .candidates import Candidate
from .reach import Reach, passing_in

_LEAST_CASE_TIME_S = 1.0
_SIFT_TIME_S = (0.15, 2.0)
"""Least and most wall clock for a candidate in a batch, where its cases are quick."""
_SLOW = 1.5
"""Times what all cases take: a right candidate of slow cases must come to their end."""
_SIFT_FUEL = 3_000
_EXAMINE_FUEL = 100_000
_PATIENT = SiftLimits(time_s=1.0, fuel=5_000_000)
_ASK_FUEL = 5
"""Times what a case gets: other arguments may take longer."""
_QUICK_S = 0.25
"""Cases that take no longer are equally quick."""
_FIRST_CASES = 4
_CHUNK = 64


@runtime_checkable
class SiftingSandbox(Protocol):
    """A sandbox that judges many candidates in one process, and looks into one."""

    def sift(
        self,
        suite: Suite,
        variants: Sequence[Variant],
        cases: tuple[Sequence[str], Sequence[str]],
        limits: SiftLimits,
        first: Sequence[Sequence[int]] = (),
    ) -> AsyncGenerator[Sifted, None]:
        """Mark the variants that pass a failing case; `first`: which ones, by position, are run before the others."""
        ...

    async def examine(self, suite: Suite, limits: SiftLimits) -> Examined:
        """Return what the program's expressions were while the suite ran."""
        ...

    async def ask(
        self, suite: Suite, variants: Sequence[Variant], calls: Sequence[str], limits: SiftLimits
    ) -> list[list[str]]:
        """Return what each variant answers to each call."""
        ...


@runtime_checkable
class ForcingSandbox(Protocol):
    """A sandbox that can force what places of a program are."""

    async def force(
        self,
        suite: Suite,
        variant: Variant,
        trials: Sequence[Sequence[str]],
        cases: tuple[Sequence[str], Sequence[str]],
        limits: SiftLimits,
        seconds: float,
    ) -> list[Forced]:
        """Say with which outcomes failing cases pass."""
        ...


@dataclass(frozen=True, slots=True)
class Round:
    """What became of some candidates."""

    judged: int
    """How many since the last value."""
    hopeful: tuple[Candidate, ...] = ()
    """Those that pass a failing case, with what they fix and break as far as known; not yet a verdict."""
    unsure: tuple[Candidate, ...] = ()
    """Those that are not judged: only a process of their own tells what they pass. The first ones pass something."""


class Judging:
    """A program's cases, and the sandbox that runs candidates over them."""

    def __init__(
        self,
        sandbox: Sandbox,
        suite: Suite,
        report: SuiteReport,
        coverage: Coverage,
        wanted: Sequence[str] | None = None,
        reach: Reach | None = None,
        copies: Purified = NO_COPIES,
    ) -> None:
        """`wanted` are the cases to mend, None those that fail; the other cases that pass are to go on passing.

        `copies` are of failing tests among the cases: what fails of these is lost, and not broken.

        `suite` and `report` are of the cases that select; `reach` says which ones confirm, None the same.
        """
        self._sandbox = sandbox
        self._reach = reach
        self.copies = copies
        self.suite = replace(suite, limits=_judging_limits(suite.limits, report))
        self.failing = _failing_first(report, coverage, copies) if wanted is None else list(wanted)
        failing_ids = set(self.failing)
        self.passing = [case for case in passing_in(report) if case not in failing_ids]
        self._sift_limits = _sift_limits(report, {})
        self._report = report
        self._flips = Flips()
        ended = ended_cases(report)
        survived = [case for case in self.failing if case not in ended]
        names = [_cases_in(case, suite.files) for case in survived or self.failing]
        # A batch gives a program up after a few cases: those of a file that was not collected must not be all of them.
        self._wanted = [name for of_case in names for name in of_case[:1]]
        self._wanted += [name for of_case in names for name in of_case[1:]]
        # Where a file holds both, a batch would go on calling the program that it has imported as tests.
        self._fit = isinstance(sandbox, SiftingSandbox) and bool(self._wanted) and not files_with_own_tests(suite)
        self._run_by: dict[tuple[str, int], list[int]] = {}
        """Program path and line -> positions of the failing cases that run it."""
        for at, case in enumerate(self._wanted):
            for path, lines in coverage.get(case, {}).items():
                for line in lines:
                    self._run_by.setdefault((path, line), []).append(at)

    @property
    def is_fit(self) -> bool:
        """Whether many candidates can be judged in one process, as far as known."""
        return self._fit

    async def examine(self, suite: Suite) -> Examined:
        """Look into the program, and learn how long its loops are; empty where that cannot be done.

        Raises: SandboxError.
        """
        if not self._fit or not isinstance(self._sandbox, SiftingSandbox):
            return Examined()
        try:
            examined = await self._sandbox.examine(suite, replace(self._sift_limits, fuel=_EXAMINE_FUEL))
        except Unfit:
            self._fit = False
            return Examined()
        # A case that never ends may be cut off by the clock before its rounds are as many as those of an endless one.
        endless = {case["id"] for case in self._report["cases"] if _is_endless(case)}
        rounds = {c: examined.rounds.get(c, 0) for c in (*self._wanted, *self.passing) if c not in endless}
        self._sift_limits = _sift_limits(self._report, rounds)
        return examined

    async def ask(self, variants: Sequence[Variant], calls: Sequence[str], seconds: float) -> list[list[str]]:
        """Return what each variant answers to each call; nothing where that cannot be done in time.

        Raises: SandboxError.
        """
        if self._fit and isinstance(self._sandbox, SiftingSandbox):
            limits = replace(self._sift_limits, fuel=_ASK_FUEL * self._sift_limits.fuel)
            try:
                async with asyncio.timeout(seconds):
                    return await self._sandbox.ask(self.suite, variants, calls, limits)
            except Unfit:
                self._fit = False
            except TimeoutError:
                pass
        return []

    async def force(
        self, variant: Variant, trials: Sequence[Sequence[str]], cases: tuple[int, int], seconds: float
    ) -> list[Forced]:
        """Return with which outcomes at the variant's places failing cases pass; of each kind so many `cases` are run.

        Nothing where that cannot be done. Raises: SandboxError.
        """
        if not self._fit or not isinstance(self._sandbox, ForcingSandbox):
            return []
        some = self._wanted[: cases[0]], self.passing[: cases[1]]
        try:
            return await self._sandbox.force(self.suite, variant, trials, some, self._sift_limits, seconds)
        except Unfit:
            self._fit = False
            return []

    async def sift(
        self, candidates: Sequence[Candidate], deadline: float, patient: bool = False
    ) -> AsyncGenerator[Round, None]:
        """Yield the candidates that pass a failing case, round by round; ends early at the deadline (monotonic).

        `patient`: a candidate gets so much time that a right but slow one is not taken for an endless one.
        Raises: SandboxError.
        """
        if self._fit and isinstance(self._sandbox, SiftingSandbox):
            limits = _PATIENT if patient else self._sift_limits
            try:
                async with aclosing(self._sift(self._sandbox, candidates, deadline, limits)) as rounds:
                    async for judged_round in rounds:
                        yield judged_round
                return
            except Unfit:
                self._fit = False
        async with aclosing(self.one_by_one(candidates, deadline)) as rounds:
            async for judged_round in rounds:
                yield judged_round

    async def confirm(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Run each candidate in a process of its own; return them with what they fix and break.

        Raises: SandboxError.
        """
        done: dict[int, Candidate] = {}
        outcomes: dict[int, Mapping[str, Outcome]] = {}
        for paths in dict.fromkeys(tuple(sorted(candidate.changes)) for candidate in candidates):
            numbers = [n for n, candidate in enumerate(candidates) if tuple(sorted(candidate.changes)) == paths]
            suite, passing = self._confirming(paths)
            async with aclosing(self._sandbox.judge(suite, [candidates[n].changes for n in numbers])) as verdicts:
                async for verdict in verdicts:
                    number = numbers[verdict.index]
                    done[number] = self._measured(candidates[number], verdict, passing)
                    outcomes[number] = verdict.outcomes
        await self._without_copies(candidates, done)
        suspected = {case for one in done.values() if {*one.fixes} >= {*self.failing} for case in one.breaks}
        if flips := {*await self._flips.among(sorted(suspected), self._sandbox, self.suite)}:
            self.passing = [case for case in self.passing if case not in flips]
            done = {number: _without(one, flips, outcomes[number]) for number, one in done.items()}
        return [done[number] for number in sorted(done)]

    async def _without_copies(self, candidates: Sequence[Candidate], done: dict[int, Candidate]) -> None:
        """Judge those by the tests alone that mend these and not all copies: a test may go wrong when done twice."""
        for number, one in done.items():
            if self.may_be_whole(one):
                suite, passing = self._confirming(sorted(one.changes))
                async with aclosing(self._sandbox.judge(self.copies.left_out(suite), [one.changes])) as verdicts:
                    async for verdict in verdicts:
                        done[number] = self._measured(candidates[number], verdict, self.copies.real(passing))

    def may_be_whole(self, candidate: Candidate) -> bool:
        """Tell whether it mends all tests and only some copy of them fails; not where it makes objects alike."""
        alike = {self.copies.words(case) for case in self.copies.objects}.intersection(candidate.loses)
        mends_all = {*self.copies.real(self.failing)} <= {*candidate.fixes} and not candidate.breaks
        return not candidate.complete and bool(self.copies.checks) and mends_all and not alike

    def _confirming(self, paths: Sequence[str]) -> tuple[Suite, Sequence[str]]:
        """Return the suite that confirms changes of these files, and its cases that are to go on passing."""
        if self._reach is None:
            return self.suite, self.passing
        suite = self._reach.suite_for(paths)
        report = self._reach.report_for(suite)
        return replace(suite, limits=_judging_limits(suite.limits, report)), passing_in(report)

    async def _sift(
        self, sandbox: SiftingSandbox, candidates: Sequence[Candidate], deadline: float, limits: SiftLimits
    ) -> AsyncGenerator[Round, None]:
        cases = (self._wanted, self.passing)
        variants = [candidate.changes for candidate in candidates]
        # A candidate is given up after a few cases: they must not all be cases that never come to its line.
        many = len(self._wanted) > limits.patience
        first = [self._first_cases(candidate, limits.patience) for candidate in candidates] if many else ()
        async with aclosing(sandbox.sift(self.suite, variants, cases, limits, first)) as values:
            async for value in values:
                left = {*value.unsure}
                unsure = [mark.index for mark in value.marks if mark.index in left]
                unsure += sorted(left.difference(unsure))
                hopeful = (self._noted(candidates[m.index], m) for m in value.marks if m.index not in left)
                yield Round(value.judged - len(left), tuple(hopeful), tuple(candidates[index] for index in unsure))
                if time.monotonic() > deadline:
                    return

    def _first_cases(self, candidate: Candidate, patience: int) -> Sequence[int]:
        """Return the failing cases that run the candidate's lines, where none of the first ones does."""
        places = (*candidate.before, (candidate.path, candidate.line))
        run_by = sorted({at for place in places for at in self._run_by.get(place, ())})
        return run_by[:patience] if run_by and run_by[0] >= patience else ()

    async def one_by_one(self, candidates: Sequence[Candidate], deadline: float) -> AsyncGenerator[Round, None]:
        """Judge each candidate in its own process: a few failing cases first, all cases for those that pass one.

        Ends early at the deadline (monotonic). Raises: SandboxError.
        """
        first = replace(self.suite, tests=tuple(self.failing[:_FIRST_CASES]))
        for begin in range(0, len(candidates), _CHUNK):
            chunk = candidates[begin : begin + _CHUNK]
            hopeful: list[Candidate] = []
            async with aclosing(self._sandbox.judge(first, [c.changes for c in chunk])) as verdicts:
                async for verdict in verdicts:
                    if _passed(verdict.outcomes, self.failing):
                        hopeful.append(chunk[verdict.index])
                    else:
                        yield Round(1)
                    if time.monotonic() > deadline:
                        return
            hopeful.sort(key=lambda c: (c.cost, c.size, c.summary))
            yield Round(len(hopeful), tuple(await self.confirm(hopeful)))

    def _measured(self, candidate: Candidate, verdict: VariantJudged, passing: Sequence[str]) -> Candidate:
        still_passing = set(_passed(verdict.outcomes, passing))
        fixes = tuple(_passed(verdict.outcomes, self.failing))
        lost = [case for case in passing if case not in still_passing]
        return self._with(candidate, fixes, lost, verdict.all_passed)

    def _noted(self, candidate: Candidate, mark: Mark) -> Candidate:
        return self._with(candidate, tuple(sorted(mark.fixes)), sorted(mark.breaks), mark.whole)

    def _with(self, candidate: Candidate, fixes: tuple[str, ...], lost: Sequence[str], complete: bool) -> Candidate:
        breaks = self.copies.real(lost)
        # A test that passes holds all its checks: a copy of it that fails then goes wrong by being run beside it.
        held = {case for case in lost if case not in self.copies.objects and copied_from(case) in fixes}
        loses = tuple(self.copies.words(case) for case in lost if self.copies.is_copy(case) and case not in held)
        return replace(candidate, fixes=fixes, breaks=breaks, loses=loses, complete=complete)


def ended_cases(report: SuiteReport) -> set[str]:
    """Return the cases that ended their process: in a batch one would end it for every candidate."""
    return {case["id"] for case in report["cases"] if case["outcome"] == "error" and case["message"].startswith(ENDED)}


def _is_endless(case: CaseResult) -> bool:
    """Tell whether a case was ended by a limit: of its time, of its memory or of what it prints."""
    filled = case["outcome"] == "error" and case["message"].startswith((HELD_TOO_MUCH, PRINTED_TOO_MUCH))
    return case["outcome"] == "timeout" or filled


def _without(candidate: Candidate, flips: Collection[str], outcomes: Mapping[str, Outcome]) -> Candidate:
    """Return a candidate as it is judged without the cases that flip."""
    breaks = tuple(case for case in candidate.breaks if case not in flips)
    others = [outcome for case, outcome in outcomes.items() if case not in flips]
    return replace(candidate, breaks=breaks, complete=all(outcome in ("passed", "skipped") for outcome in others))


def _failing_first(report: SuiteReport, coverage: Coverage, copies: Purified) -> list[str]:
    """Return the failing cases; the first few differ in the lines they run, for independent mistakes.

    Quick ones come before slow ones, those that did not end or ended their process last. A copy comes after the tests:
    what it leaves in a program that keeps something would make them fail.
    """
    ended = ended_cases(report)
    cases = sorted(
        (case for case in report["cases"] if is_failing(case)),
        key=lambda case: (_is_endless(case) or case["id"] in ended, copies.is_copy(case["id"]), _slowness(case)),
    )
    chosen: dict[frozenset[tuple[str, int]], str] = {}
    for case in cases:
        lines = frozenset(
            (path, line) for path, path_lines in coverage.get(case["id"], {}).items() for line in path_lines
        )
        chosen.setdefault(lines, case["id"])
    first = list(chosen.values())
    return first + [case["id"] for case in cases if case["id"] not in first]


def _slowness(case: CaseResult) -> int:
    """Return how slow a case is, in powers of ten: on a busy machine the quick ones must not change places."""
    return max(0, math.ceil(math.log10(max(case["duration_s"], _QUICK_S) / _QUICK_S)))


def _cases_in(case: str, files: Mapping[str, str]) -> list[str]:
    """Return the case itself, or those of a whole file that could not be collected."""
    if "::" in case:
        return [case]
    try:
        body = parse_python(files.get(case, "")).body
    except SyntaxError:
        return []
    names = [node.name for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")]
    return [f"{case}::{name}" for name in names]


def _judging_limits(limits: Limits, report: SuiteReport) -> Limits:
    """Return limits that end an endless loop soon but leave room for the slowest case, be it one that fails."""
    took = [case["duration_s"] for case in report["cases"] if case["outcome"] != "timeout"]
    case_time_s = min(limits.case_time_s, max(_LEAST_CASE_TIME_S, 10 * max(took, default=0.0)))
    return replace(limits, case_time_s=case_time_s, time_s=min(limits.time_s, 3 * case_time_s + 10 * sum(took)))


def _sift_limits(report: SuiteReport, rounds: Mapping[str, int]) -> SiftLimits:
    took = sum(case["duration_s"] for case in report["cases"] if case["outcome"] != "timeout")
    least, most = _SIFT_TIME_S
    longest = min(_EXAMINE_FUEL, max(rounds.values(), default=0))
    return SiftLimits(max(min(most, least + 10 * took), least + _SLOW * took), _SIFT_FUEL + 20 * longest)


def _passed(outcomes: Mapping[str, Outcome], wanted: Iterable[str]) -> list[str]:
    """Return the cases among `wanted` that pass now; a file that could not be collected passes when its cases do."""
    passed = []
    for case in wanted:
        inner = [outcome for name, outcome in outcomes.items() if name == case or name.startswith(f"{case}::")]
        if inner and "passed" in inner and all(outcome in ("passed", "skipped") for outcome in inner):
            passed.append(case)
    return passed
