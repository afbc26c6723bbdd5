"""Run the search on a program and tell how far it is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from selfheal_tui.sandbox.base import CaseFinished, Coverage, Suite, SuiteReport
from selfheal_tui.setting_values import SEARCH

from ..moment.events import SearchProgressed
from ..moment.recent import load_recent
from ..moment.state import Repair
from ..moment.steering import Avoid
from ..moment.taken import touched_lines
from .role_context import RoleContext

if TYPE_CHECKING:
    from selfheal_tui.search.program.avoid import Avoid as Closed
    from selfheal_tui.search.weigh.found import Found


_TOLD_AGAIN_S = 1.0
"""After so long without news the time that has passed is told."""
_COUNTED_S = 0.3
_MOST_JUDGED = 20
"""Repairs of a group that are run over the cases that wait."""


async def searched(
    context: RoleContext,
    files: Mapping[str, str],
    report: SuiteReport,
    time_s: float,
    *,
    suspects_hint: Collection[tuple[str, int]] = (),
    exclude: Collection[str] = (),
    refused: Sequence[Mapping[str, str]] = (),
    spec: str = "",
    prefer: Collection[tuple[str, int]] = (),
    coverage: Coverage | None = None,
) -> Found:
    """Return what a search of `files` (path -> text) finds within `time_s` seconds.

    `report` is the suite's run over these files; the rest is as in `search.repair`. Nothing is edited that the human
    wants left alone. Raises: SandboxError.
    """
    from selfheal_tui.search.repair import Budget, Found, repair

    workspace, deps, began_s = context.workspace, context.deps, time.monotonic()
    program = {path: files[path] for path in workspace.program if path in files}
    recent = await load_recent(deps.blobs, context.state, workspace.base, program)
    with deps.searches.one_more() as stopped:
        steps = repair(
            files,
            workspace.program,
            workspace.tests,
            report,
            deps.sandbox,
            budget=Budget(time_s=time_s),
            suspects_hint=suspects_hint,
            exclude=exclude,
            refused=refused,
            limits=deps.suite_limits,
            pytest_args=workspace.pytest_args,
            spec=spec,
            prefer=prefer,
            coverage=coverage,
            recent=recent,
            avoid=closed(context.avoid),
            stopped=stopped,
        )
        last = SearchProgressed(0, 0, "", time_s=time_s)

        async def tell_again() -> None:
            while True:
                await asyncio.sleep(_TOLD_AGAIN_S)
                context.emit(replace(last, elapsed_s=time.monotonic() - began_s))

        async with aclosing(steps) as progress:
            telling = asyncio.create_task(tell_again())
            try:
                async for step in progress:
                    if isinstance(step, Found):
                        # The last of a search says how long all of it took.
                        context.emit(replace(last, elapsed_s=time.monotonic() - began_s))
                        return await _by_waiting(context, files, step)
                    elapsed_s = time.monotonic() - began_s
                    last = SearchProgressed(
                        step.judged,
                        step.total,
                        step.best,
                        step.mends,
                        step.failing,
                        elapsed_s,
                        time_s,
                        step.stage,
                        breaks=step.breaks,
                    )
                    context.emit(last)
            finally:
                telling.cancel()
    raise RuntimeError("the search ended without a result")


async def _by_waiting(context: RoleContext, files: Mapping[str, str], found: Found) -> Found:
    """Return what was found with the repairs first that mend most of the cases of other groups, which wait.

    The search of a group does not run these, and they may tell its repairs apart. Raises: SandboxError.
    """
    workspace, deps = context.workspace, context.deps
    whole = [one for one in found.ranking.candidates[:_MOST_JUDGED] if one.complete]
    if not workspace.waiting or not whole:
        return found
    suite = Suite(files, workspace.waiting, workspace.program, workspace.pytest_args, deps.suite_limits)
    mended = dict.fromkeys(range(len(whole)), 0)
    async with aclosing(deps.sandbox.judge(suite, [one.changes for one in whole])) as verdicts:
        async for verdict in verdicts:
            mended[verdict.index] = sum(outcome == "passed" for outcome in verdict.outcomes.values())
    most = max(mended.values())
    first = [one for number, one in enumerate(whole) if most and mended[number] == most]
    known = [one.changes for one in first]
    others = [one for one in found.candidates if one.changes not in known]
    return replace(found, candidates=(*first, *others)[: len(found.candidates)])


def tell_coverage(context: RoleContext) -> Callable[[CaseFinished], None]:
    """Return what tells of the cases of a run with coverage, which comes before a search; a few times a second."""
    assert context.report is not None
    total, ended, told_s = len(context.report["cases"]), 0, time.monotonic()

    def tell(_: CaseFinished) -> None:
        nonlocal ended, told_s
        ended += 1
        if time.monotonic() - told_s >= _COUNTED_S:
            told_s = time.monotonic()
            stage = f"seeing which lines the cases run: {ended} of {total}"
            context.emit(SearchProgressed(0, 0, "", stage=stage))

    return tell


def repairs_of(found: Found, chosen: Collection[tuple[str, int]] = (), settled: Collection[str] = ()) -> list[Repair]:
    """Return what a search found as repairs, best first; the first that mends all says how sure the search is of it.

    Those at a place that the human chose (`chosen`: path, 1-based line) say so. `settled` are calls that the human has
    answered.
    """
    from selfheal_tui.search.hunt.places import is_at
    from selfheal_tui.search.weigh.telling import answers_changed, telling_answers

    repairs: list[Repair] = []
    telling = zip(telling_answers(found), answers_changed(found, settled), strict=True)
    for candidate, (answers, changed) in zip(found.candidates, telling, strict=True):
        repair: Repair = {
            "summary": candidate.summary,
            "changes": dict(candidate.changes),
            "strategy": SEARCH,
            "by": SEARCH,
        }
        if candidate.alone:
            repair["parts"] = [
                {"summary": edit, "changes": dict(changes), "by": SEARCH, "fixes": list(mends)}
                for edit, changes, mends in zip(candidate.edits, candidate.alone, candidate.mends, strict=True)
            ]
        if candidate.marks:
            repair["marks"] = [{"kind": mark.kind, "why": mark.why} for mark in candidate.marks]
        if is_at(candidate, chosen):
            repair["at_chosen"] = True
        if answers:
            repair["answers"] = answers
        if changed:
            repair["beside_tests"] = changed
        repairs.append(repair)
    likeliest = next((repair for repair, one in zip(repairs, found.candidates, strict=True) if one.complete), None)
    if likeliest is not None and found.confidence:
        likeliest["confidence"] = round(found.confidence, 3)
        likeliest["clusters"] = found.clusters
    return repairs


def touched_of(avoid: Sequence[Avoid], files: Mapping[str, str], changes: Mapping[str, str]) -> list[Avoid]:
    """Return of the functions and lines that are closed those that a change (path -> new text) of `files` touches."""
    from selfheal_tui.search.program.avoid import is_closed_line

    lines = sorted(touched_lines(files, {**files, **changes}))
    return [one for one in avoid if any(is_closed_line(closed([one]), files, path, line) for path, line in lines)]


def closed(avoid: Sequence[Avoid]) -> Closed:
    """Return what the human wants left alone, as the search takes it."""
    from selfheal_tui.search.program.avoid import Avoid as Closed

    return Closed(
        frozenset((one.get("file", ""), one.get("name", "")) for one in avoid if one["what"] == "function"),
        frozenset(
            (one.get("file", ""), one.get("line", 0), one.get("text", "")) for one in avoid if one["what"] == "line"
        ),
        any(one["what"] == "data" for one in avoid),
        frozenset(
            frozenset((line["file"], line["line"], line["text"]) for line in one.get("lines", ()))
            for one in avoid
            if one["what"] == "together"
        ),
    )
