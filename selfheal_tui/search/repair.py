"""Program repair without a model: localise, edit, judge in the sandbox, rank.

Each candidate first meets only a few failing cases; those that pass one of them meet the whole suite.
Candidates are judged in batches, so that what is found does not depend on the order in which processes end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from selfheal_tui.sandbox.base import (
    Coverage,
    Limits,
    Outcome,
    Sandbox,
    Suite,
    SuiteReport,
    VariantJudged,
    run_through,
)

from .candidates import Candidate, build_candidates
from .localise import is_failing, localise
from .rank import rank

_T = TypeVar("_T")
_BATCH = 16
_FIRST_CASES = 4
_ENOUGH_COMPLETE = 3
_PATIENCE = 96
"""How many more candidates are judged once the best one has stayed the best."""
_FAR = 1.5
"""Once something heals, edits that cost this many times as much are too unlikely to wait for."""
_REPORT_INTERVAL_S = 0.1
_LEAST_CASE_TIME_S = 1.0


@dataclass(frozen=True, slots=True)
class Budget:
    """When a search stops by itself."""

    candidates: int = 600
    time_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the search is; at most about ten a second."""

    judged: int
    total: int
    """At most this many will be judged."""
    best: str
    """Summary of the best candidate so far; empty when there is none."""


@dataclass(frozen=True, slots=True)
class Found:
    """The last value of `repair`."""

    candidates: tuple[Candidate, ...]
    """Best first, at most five; empty when nothing helped."""
    judged: int
    tried_all: bool
    """No candidate is left that was not judged."""


async def repair(
    files: Mapping[str, str],
    program: Sequence[str],
    tests: Sequence[str],
    report: SuiteReport,
    sandbox: Sandbox,
    *,
    budget: Budget | None = None,
    suspects_hint: Sequence[tuple[str, int]] = (),
    exclude: Collection[str] = (),
    limits: Limits | None = None,
    coverage: Coverage | None = None,
    pytest_args: Sequence[str] = (),
) -> AsyncGenerator[Progress | Found, None]:
    """Search for single edits of the program files that make failing cases pass.

    `files` is the whole folder as it is now and `report` its run; `coverage` is measured when None.
    `exclude`: see `build_candidates`. Closing the iterator kills what runs.
    Raises: SandboxError.
    """
    budget, limits = budget or Budget(), limits or Limits()
    started = time.monotonic()
    sources = {path: files[path] for path in program if path in files}
    suite = Suite(files, tuple(tests), tuple(program), tuple(pytest_args), limits)
    if coverage is None:
        covered = await run_through(sandbox, replace(suite, coverage=True))
        report, coverage = covered.report, covered.coverage
    failing = [case["id"] for case in report["cases"] if is_failing(case)]
    suspects = localise(report, coverage, sources)
    test_texts = [text for path, text in files.items() if path.endswith(".py") and path not in sources]
    candidates = await asyncio.to_thread(build_candidates, sources, test_texts, suspects, suspects_hint, exclude)
    total = min(len(candidates), budget.candidates)
    if not failing:
        yield Found((), 0, True)
        return
    suite = replace(suite, limits=_judging_limits(limits, report))
    first = replace(suite, tests=tuple(_first_cases(failing, coverage)))
    drawn = iter(candidates)
    kept: list[Candidate] = []
    judged, last_report_s, best_at = 0, started, 0
    tried_all = False
    while judged < total and time.monotonic() - started < budget.time_s:
        batch = await asyncio.to_thread(lambda size: list(islice(drawn, size)), min(_BATCH, total - judged))
        if not batch:
            tried_all = True
            break
        hopeful: list[Candidate] = []
        async with aclosing(_judge(sandbox, first, batch)) as verdicts:
            async for index, verdict in verdicts:
                judged += 1
                if _passed(verdict.outcomes, failing):
                    hopeful.append(batch[index])
                now = time.monotonic()
                if now - last_report_s >= _REPORT_INTERVAL_S:
                    last_report_s = now
                    yield Progress(judged, total, _best(kept))
                if now - started > budget.time_s:
                    break
        hopeful.sort(key=lambda c: (c.cost, c.size, c.summary))
        before = _best(kept)
        async with aclosing(_judge(sandbox, suite, hopeful)) as verdicts:
            async for index, verdict in verdicts:
                kept.append(_measured(hopeful[index], verdict, report))
        if _best(kept) != before:
            best_at = judged
            yield Progress(judged, total, _best(kept))
        ranked = rank(kept)
        complete = [candidate for candidate in ranked if candidate.complete]
        if len(complete) >= _ENOUGH_COMPLETE or (ranked and judged - best_at >= _PATIENCE):
            break
        if complete and batch[-1].cost > _FAR * complete[0].cost:
            break
    else:
        tried_all = next(drawn, None) is None
    yield Found(rank(kept), judged, tried_all)


async def _judge(
    sandbox: Sandbox, suite: Suite, batch: Sequence[Candidate]
) -> AsyncGenerator[tuple[int, VariantJudged], None]:
    if not batch:
        return
    async with aclosing(sandbox.judge(suite, [candidate.changes for candidate in batch])) as verdicts:
        async for verdict in verdicts:
            yield verdict.index, verdict


def _judging_limits(limits: Limits, report: SuiteReport) -> Limits:
    """Return limits that end an endless loop soon but leave room for the slowest case that passes."""
    slowest = max((case["duration_s"] for case in report["cases"] if case["outcome"] == "passed"), default=0.0)
    case_time_s = min(limits.case_time_s, max(_LEAST_CASE_TIME_S, 10 * slowest))
    whole = sum(case["duration_s"] for case in report["cases"] if case["outcome"] == "passed")
    return replace(limits, case_time_s=case_time_s, time_s=min(limits.time_s, 3 * case_time_s + 10 * whole))


def _first_cases(failing: Sequence[str], coverage: Coverage) -> list[str]:
    """Return a few failing cases that differ in the lines they run, for independent mistakes."""
    chosen: dict[frozenset[tuple[str, int]], str] = {}
    for case in failing:
        lines = frozenset((path, line) for path, found in coverage.get(case, {}).items() for line in found)
        chosen.setdefault(lines, case)
    first = list(chosen.values())
    first += [case for case in failing if case not in first]
    return first[:_FIRST_CASES]


def _passed(outcomes: Mapping[str, Outcome], wanted: Iterable[str]) -> list[str]:
    """Return which of the cases pass now; a file that could not be collected passes when its cases do."""
    passed = []
    for case in wanted:
        inner = [outcome for name, outcome in outcomes.items() if name == case or name.startswith(f"{case}::")]
        if inner and "passed" in inner and all(outcome in ("passed", "skipped") for outcome in inner):
            passed.append(case)
    return passed


def _measured(candidate: Candidate, verdict: VariantJudged, report: SuiteReport) -> Candidate:
    failing = [case["id"] for case in report["cases"] if is_failing(case)]
    passing = [case["id"] for case in report["cases"] if case["outcome"] == "passed"]
    kept = set(_passed(verdict.outcomes, passing))
    fixes = tuple(_passed(verdict.outcomes, failing))
    breaks = tuple(case for case in passing if case not in kept)
    return replace(candidate, fixes=fixes, breaks=breaks, complete=verdict.all_passed)


def _best(kept: Sequence[Candidate]) -> str:
    best = rank(kept)
    return best[0].summary if best else ""
