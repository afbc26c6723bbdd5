"""Program repair without a model: localise, look into the program, edit, judge in the sandbox, rank.

Batches select candidates; every one that is kept was judged once more in a process of its own. What is found depends
on the clock only where the budget ends the search, or a slow suite the look for rivals.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from selfheal_tui.sandbox.base import Coverage, Limits, Sandbox, Suite, SuiteReport, run_through

from .copies import states_of_sides, told_by_tests, with_copies
from .hunt.angels import angelic_edits
from .hunt.candidates import Candidate
from .hunt.judging import Judging
from .hunt.near import near_misses
from .hunt.places import is_at
from .hunt.reach import build_reach
from .hunt.rounds import Hunt, Stage
from .hunt.second import pairs, second_edits
from .program.avoid import NOTHING, Avoid
from .program.compared import without_fair_judges
from .program.localise import is_failing
from .program.mark import Mark
from .program.own_tests import without_own_tests
from .program.purified import NO_COPIES
from .program.recent import At, RecentChange
from .taken_back import take_back
from .told_apart import asked_alone, compared, favoured, likeliest, marked, told_apart, with_their_rivals
from .weigh.found import (
    Found,
    found_from,
    found_of_parts,
    with_reasons,
)
from .weigh.joined import (
    edit_of,
    few_of_each,
    is_minimal,
    joined_candidates,
    minimal_candidates,
    one_edit_less,
    without_padded,
)
from .weigh.neutral import dearer_where_neutral
from .weigh.rank import SHOWN, likeliest_parts, useful_first

_REPORT_INTERVAL_S = 0.1
_CLOSED = Mark("closed", "Edits that may be likelier were not tried: you closed a part of the program to the search.")
_PARTIAL = 8
_LOOKED_AT = 200
"""Edits that mend a part among which the plainest are looked for."""
_MARKED = 40
"""Of these, as many are looked at for marks before those that are judged once more are chosen."""
_PARTS_AT = 2
"""Edits that mend a part which are shown at a place that the human chose, where none there mends all."""
_JOINED_FIRST = 8
_MOST_PLACES = 8
_JUDGES_SHARE = 0.4
"""Of the time, kept for edits of how objects are compared where nothing else mends a case."""
_FIRST_SHARE = 0.5
"""Of the time that is left for second edits of each kind."""


@dataclass(frozen=True, slots=True)
class Budget:
    """When a search stops by itself."""

    candidates: int = 200_000
    time_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the search is; at most about ten a second."""

    judged: int
    total: int
    """As many were drawn so far: at most this many will be judged before others are drawn."""
    best: str
    """Summary of the best candidate so far; empty when there is none."""
    plausible: int = 0
    """Candidates so far that pass every case."""
    mends: int = 0
    """How many of the `failing` cases pass with the best candidate."""
    failing: int = 0
    stage: str = ""
    """What is done where no edit is tried, in a few words."""
    breaks: int = 0
    """How many cases that passed fail with the best candidate."""


async def repair(
    files: Mapping[str, str],
    program: Sequence[str],
    tests: Sequence[str],
    report: SuiteReport,
    sandbox: Sandbox,
    *,
    budget: Budget | None = None,
    coverage: Coverage | None = None,
    suspects_hint: Collection[tuple[str, int]] = (),
    exclude: Collection[str] = (),
    refused: Sequence[Mapping[str, str]] = (),
    limits: Limits | None = None,
    pytest_args: Sequence[str] = (),
    spec: str = "",
    prefer: Collection[tuple[str, int]] = (),
    avoid: Avoid = NOTHING,
    recent: Mapping[At, RecentChange] | None = None,
    stopped: Callable[[], bool] = lambda: False,
    without: Collection[str] = (),
) -> AsyncGenerator[Progress | Found, None]:
    """Search for repairs of `files` (path -> text); the last value is `Found`.

    Only `program` files are edited. `report` is the suite's last run; without its `coverage` the suite runs once
    more. `suspects_hint`, `exclude` and `avoid` are as in `build_candidates`, `recent` as in `localise`; examples in
    `spec` help to rank. What does the same as `refused` changes (path -> text), for all calls, is marked. Repairs at
    the lines `prefer` (path, 1-based) come first, also those that mend a part. Once `stopped` says so, the best so far
    are the result. `without` names parts of the search to leave out (`angelic`, `checks`, `signs`), to measure what
    each gives. Closing the iterator kills what runs.
    Raises: SandboxError.
    """
    budget, limits = budget or Budget(), limits or Limits()
    deadline = time.monotonic() + budget.time_s
    suite = Suite(files, tuple(tests), tuple(program), tuple(pytest_args), limits)
    if coverage is None:
        covered = await run_through(sandbox, replace(suite, coverage=True))
        report, coverage = covered.report, covered.coverage
    if not any(is_failing(case) for case in report["cases"]):
        yield Found((), 0, True)
        return
    yield Progress(0, 0, "", stage="preparing the edits")
    closed, avoid = bool(avoid), without_own_tests(avoid, suite)
    states = await states_of_sides(sandbox, suite, report)
    fair = without_fair_judges(avoid, files, program, report, suspects_hint, states)
    attempts = (
        [(avoid, deadline)] if fair == avoid else [(fair, deadline - _JUDGES_SHARE * budget.time_s), (avoid, deadline)]
    )
    copies = NO_COPIES
    if "checks" not in without:
        copies, suite, report, coverage = await with_copies(sandbox, suite, report, coverage)
    reach = build_reach(suite, report, coverage)
    near = reach.suite_for(())
    report = reach.report_for(near)
    judging = Judging(sandbox, near, report, coverage, reach=reach, copies=copies)
    stage = Stage(near, report, coverage, reach.others, recent or {}, copies, tuple(refused))
    reported_s, judged = 0.0, 0
    for avoid, until in attempts:
        hunt = Hunt(near, judging, budget.candidates, until, exclude, avoid, stopped)
        hunt.judged = judged
        hunting = _hunt(hunt, sandbox, stage, suspects_hint, without, avoid, prefer)
        for steps_of in (hunting, _join_doubted(hunt, stage)):
            async with aclosing(steps_of) as steps:
                async for _ in steps:
                    now = time.monotonic()
                    if now - reported_s >= _REPORT_INTERVAL_S or hunt.is_news:
                        reported_s, hunt.is_news = now, False
                        yield _progress(hunt)
        if hunt.best or stopped():
            break
        judged = hunt.judged
    cut_short = hunt.cut_short
    yield _progress(hunt, "comparing the best")
    plain, confirmed = ([], []) if hunt.complete else await _parts(hunt, stage, prefer)
    if hunt.complete:
        ranking = await compared(hunt, stage, sandbox, spec, without, await likeliest(hunt, stage))
        found = with_reasons(found_from(favoured(ranking, prefer), hunt.judged, hunt.tried_all))
        proven = found.ranking.candidates
    else:
        rivals = await marked(stage, await asyncio.to_thread(with_their_rivals, stage, confirmed, plain))
        partial, ranking = await told_apart(hunt, stage, sandbox, spec, without, rivals, plain, prefer)
        shown = found_of_parts(few_of_each(partial, SHOWN), ranking, hunt.judged, hunt.tried_all)
        found = await asked_alone(hunt, stage, shown)
        # Those that tell as much of their place stay in the order in which they are shown.
        proven = tuple(sorted(partial, key=lambda c: (-hunt.tally.score(c), bool(c.marks))))
    first = await _with_parts_at(hunt, stage, prefer, found.candidates) if prefer else found.candidates
    places = hunt.tally.places(proven, _MOST_PLACES)
    bests = await marked(stage, [place.best for place in places])
    places = tuple(replace(place, best=best) for place, best in zip(places, bests, strict=True))
    left_out = await asyncio.to_thread(lambda: hunt.left_out)
    if closed and left_out:
        first = tuple(replace(one, marks=(*one.marks, _CLOSED)) for one in first)
    found = replace(found, singles=hunt.singles_judged, cut_short=cut_short)
    yield told_by_tests(replace(found, candidates=first, places=places, left_out=left_out), copies)


async def _parts(
    hunt: Hunt, stage: Stage, prefer: Collection[tuple[str, int]]
) -> tuple[list[Candidate], list[Candidate]]:
    """Return edits that mend a part, plainest first, and the likeliest of them, judged in processes of their own.

    What passes every case there is a repair of all of them, and is kept with the others that mend as much.
    """
    copies = stage.copies
    of_tests = [one for one in hunt.improving() if copies.real(one.fixes)]
    improving = sorted(of_tests, key=lambda candidate: bool(candidate.breaks))
    minimal = [one for one in without_padded(improving, copies.real) if is_minimal(one)]
    plain = [dearer_where_neutral(stage.sources, candidate) for candidate in minimal[:_LOOKED_AT]]
    # What breaks a case is never shown, and must not take the room of what is.
    plain.sort(key=lambda c: (bool(c.breaks), -c.gained, c.cost, c.size, c.summary))
    plain.sort(key=lambda candidate: not is_at(candidate, prefer))
    best = likeliest_parts(await marked(stage, few_of_each(plain, _MARKED)), prefer, _PARTIAL)
    confirmed = await hunt.judging.confirm(best)
    if any(one.complete for one in confirmed):
        wanted, known = {*copies.real(hunt.judging.failing)}, {one.texts for one in best}
        others = [one for one in plain if wanted <= {*one.fixes} and one.texts not in known]
        hunt.keep([*confirmed, *await hunt.judging.confirm(others[:_MARKED])])
    return plain, confirmed


def _progress(hunt: Hunt, stage: str = "") -> Progress:
    best, real = hunt.best, hunt.judging.copies.real
    return Progress(
        hunt.judged,
        hunt.total,
        edit_of(best, hunt.suite.program) if best else "",
        len(hunt.complete),
        len(real(best.fixes)) if best else 0,
        len(real(hunt.judging.failing)),
        stage,
        len(best.breaks) if best else 0,
    )


async def _hunt(
    hunt: Hunt,
    sandbox: Sandbox,
    stage: Stage,
    hints: Collection[tuple[str, int]],
    without: Collection[str],
    avoid: Avoid,
    prefer: Collection[tuple[str, int]],
) -> AsyncGenerator[None, None]:
    """Several changes that git can take back; one edit; then two, where the first heals a case or brings one nearer;
    then any two cheap ones."""

    async with aclosing(take_back(hunt, stage, avoid)) as steps:
        async for _ in steps:
            yield
    if hunt.complete and not prefer:
        return

    def angels() -> AsyncGenerator[None, None]:
        return angelic_edits(hunt, stage, hints, avoid)

    joined = False
    async with aclosing(hunt.singles(stage, hints, None if "angelic" in without else angels)) as steps:
        async for _ in steps:
            yield
            if not joined and hunt.parts_are_enough:
                joined = True
                await hunt.confirm_improving()
                async with aclosing(_join(hunt, stage)) as more:
                    async for _ in more:
                        yield
                if hunt.complete:
                    break
    await hunt.confirm_improving()
    async with aclosing(_join(hunt, stage)) as steps:
        async for _ in steps:
            yield
    hunt.take_altering()
    if hunt.is_over or hunt.complete or hunt.is_step(stage):
        return
    async with aclosing(second_edits(hunt, sandbox, stage, hunt.improving(), _FIRST_SHARE)) as steps:
        async for _ in steps:
            yield
    if hunt.is_over or hunt.complete:
        return
    nearer = await near_misses(hunt, stage)
    async with aclosing(second_edits(hunt, sandbox, stage, nearer, _FIRST_SHARE)) as steps:
        async for _ in steps:
            yield
    if hunt.is_over or hunt.complete:
        return
    async with aclosing(pairs(hunt)) as steps:
        async for _ in steps:
            yield


async def _join_doubted(hunt: Hunt, stage: Stage) -> AsyncGenerator[None, None]:
    """Where nothing mends every case join what mends a part, though it may be by coincidence."""
    if not hunt.complete and hunt.cut_short != "stopped" and not hunt.is_step(stage):
        async with aclosing(_join(hunt, stage, doubted=True)) as steps:
            async for _ in steps:
                yield


async def _join(hunt: Hunt, stage: Stage, *, doubted: bool = False) -> AsyncGenerator[None, None]:
    """Try edits that mend different cases together: one program may mend all independent mistakes, also where what
    mends them in one bears a mark. With `doubted` edits that may be a coincidence are joined too.

    The likeliest few are tried even where the budget is used up: without them all that was found would be parts.
    """
    if hunt.complete and not all(one.marks for one in await marked(stage, hunt.complete[:_JOINED_FIRST])):
        return
    joined = await asyncio.to_thread(
        joined_candidates, stage.sources, hunt.improving(), stage.test_texts, doubted=doubted
    )
    new = [candidate for candidate in joined if hunt.is_wanted(candidate)]
    first = await hunt.judging.confirm(new[:_JOINED_FIRST]) if new else []
    whole = await _without_needless(hunt, stage, [candidate for candidate in first if candidate.complete])
    most = max((candidate.restored for candidate in whole), default=0)
    hunt.complete += [candidate for candidate in whole if candidate.restored == most]
    partial = [candidate for candidate in first if not candidate.complete]
    smaller = minimal_candidates(stage.sources, [c for c in partial if not is_minimal(c)], hunt.improving())
    again = await hunt.judging.confirm([c for c in smaller if hunt.is_wanted(c)]) if smaller else []
    hunt.complete += [candidate for candidate in again if candidate.complete]
    hunt.keep_improving(c for c in (*partial, *again) if not c.complete and is_minimal(c))
    yield
    async with aclosing(hunt.go_through(iter(new[_JOINED_FIRST:]))) as steps:
        async for _ in steps:
            yield


async def _without_needless(hunt: Hunt, stage: Stage, whole: list[Candidate]) -> list[Candidate]:
    """Return joined repairs that pass every case, without the edits that none of them needs beside the others."""
    improving = hunt.improving()
    fewer = {one.texts: one_edit_less(stage.sources, one, improving) for one in whole}
    new = {one.texts: one for ones in fewer.values() for one in ones if hunt.is_wanted(one)}
    judged = await hunt.judging.confirm([*new.values()]) if new else []
    passing = {one.texts: one for one in judged if one.complete}
    needed = [one for one in whole if not any(less.texts in passing for less in fewer[one.texts])]
    smaller = [one for texts, one in passing.items() if texts not in fewer]
    return [*needed, *(await _without_needless(hunt, stage, smaller) if smaller else [])]


async def _with_parts_at(
    hunt: Hunt, stage: Stage, prefer: Collection[tuple[str, int]], candidates: Sequence[Candidate]
) -> tuple[Candidate, ...]:
    """Return the candidates with those at these places first; where none is, with edits there that mend a part."""
    first = sorted(candidates, key=lambda candidate: not is_at(candidate, prefer))
    if first and is_at(first[0], prefer):
        return tuple(first)
    real = stage.copies.real
    unpadded = without_padded(hunt.improving(), real)
    partial = [candidate for candidate in unpadded if is_at(candidate, prefer) and real(candidate.fixes)]
    confirmed = await hunt.judging.confirm(partial[:_PARTIAL]) if partial else []
    rivals = await asyncio.to_thread(with_their_rivals, stage, confirmed, unpadded)
    # Whoever chose the place saw what its best edit mends, and its doubts.
    useful = sorted(useful_first(await marked(stage, rivals)), key=lambda candidate: -len(candidate.fixes))
    return (*few_of_each(useful, _PARTS_AT), *first)[:SHOWN]


__all__ = ["Budget", "Candidate", "Found", "Progress", "repair"]
