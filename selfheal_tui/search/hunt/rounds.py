"""The hunt: candidates drawn in rounds, cheapest first, until enough pass every case or the budget is used up."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile

from selfheal_tui.sandbox.base import Coverage, Suite, SuiteReport
from selfheal_tui.sandbox.examine import Examined

from ..program.avoid import NOTHING, Avoid, closed_together
from ..program.localise import is_failing, localise
from ..program.observe import build_observations
from ..program.own_tests import files_with_own_tests
from ..program.purified import NO_COPIES, Purified
from ..program.recent import At, RecentChange
from .candidates import Candidate, Candidates, build_candidates, changes_key, shape_of
from .grown import grown_edits
from .judging import Judging
from .listing import Listing
from .one_change import as_one_change
from .places import Tally
from .restored import restored_edits
from .tried import CutShort
from .unsure import Unsure

_FIRST_ROUND, _MOST_ROUND = 16, 2048
_FAR_BITS = 3.5
"""Once something heals, edits that are this much less likely are not waited for. In samples of the benchmarks a right
repair that ranked first cost at most 1.2 bits more than the cheapest that passed, and one of the first ten 1.9."""
_LINGER = 800
"""How many more are tried, once something heals, to see whether others disagree; as many as until then if that is more.
In the same samples every right repair that was found at all came within 700."""
_LINGER_S = 4.0
"""How long at most."""
_LINGER_ROUND = 256
"""Small rounds, so that it ends soon after that."""
_ENOUGH_COMPLETE = 60
_CONFIRMED = 8
"""Candidates that help some cases in a batch, judged once more."""
_CONFIRMED_EARLY = 2
"""And of these, after the likeliest edits already: where the batch was wrong, nothing else need be tried."""
_PATIENT = 64
_PATIENT_SHARE = 0.15
"""How many of the likeliest edits are run again without hurry, and in what share of the time that is left."""
_WHOLE_SHARE = 0.3
"""In what share of the time that is left edits that no batch can judge are run in processes of their own."""
_LIKELY = 1500
"""Single edits that are tried before anything else."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A program to edit, and how its suite ran."""

    suite: Suite
    report: SuiteReport
    coverage: Coverage
    other_tests: frozenset[str] = frozenset()
    """Test files that are not run: the words and values in them say nothing of these cases."""
    recent: Mapping[At, RecentChange] = field(default_factory=dict)
    """Which lines of the program were changed lately."""
    copies: Purified = NO_COPIES
    """Of failing tests, among the cases; the texts are those without them."""
    refused: Sequence[Mapping[str, str]] = ()
    """Changes of the program (path -> text) that the human rejected for what they do."""

    @property
    def sources(self) -> dict[str, str]:
        """Program path -> text."""
        return {path: self.suite.files[path] for path in self.suite.program if path in self.suite.files}

    @property
    def test_texts(self) -> dict[str, str]:
        """Path -> text of all Python files that are no program, or are its tests too; not of tests that are not run."""
        left_out = self.other_tests.union(self.sources) - {*files_with_own_tests(self.suite)}
        files = {**self.suite.files, **self.copies.written}
        return {p: text for p, text in files.items() if p.endswith(".py") and p not in left_out}


class Hunt:
    """What was tried and found so far; every candidate changes the suite's own program."""

    def __init__(
        self,
        suite: Suite,
        judging: Judging,
        most: int,
        deadline: float,
        exclude: Collection[str] = (),
        avoid: Avoid = NOTHING,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """`most` candidates are judged; `deadline` is on the monotonic clock; `exclude` as in `build_candidates`.

        Once `stopped` says so, what was found by then is all.
        """
        self.suite = suite
        self.judging = judging
        self.tally = Tally(len(judging.failing))
        self.deadline = deadline
        self.judged = 0
        self.total = 0
        self.complete: list[Candidate] = []
        """They pass every case, each judged in a process of its own."""
        self.edits = Listing()
        """All single edits, cheapest first."""
        self.is_news = False
        self.singles_judged = 0
        """Of those judged: single edits of the program."""
        self.tried_all = False
        """No single edit of the program is left."""
        self._most = most
        self._stopped = stopped
        self._exclude = frozenset(exclude)
        self._avoid = avoid
        self._apart = closed_together(avoid, {path: suite.files[path] for path in suite.program if path in suite.files})
        self._improving: list[Candidate] = []
        self._unsure = Unsure()
        self._shapes: set[str] = set()
        self._has_enough = False
        """Something heals, and what is still to come can hardly change which is first."""
        self._parted_at: tuple[float, int, float] | None = None
        """When parts first mended all failing cases between them: the clock, edits judged, the dearest edit by then."""
        self._cost = 0.0
        """Of the edit that was judged last."""
        self._healed_at: tuple[float, int] | None = None
        """When something first passed every case, on the monotonic clock, and how many had been judged by then."""

    @property
    def is_over(self) -> bool:
        """The budget is used up, or somebody has stopped it."""
        return self._stopped() or self.judged >= self._most or time.monotonic() >= self.deadline

    @property
    def parts_are_enough(self) -> bool:
        """Edits that break nothing mend all failing cases between them, and likelier ones are hardly to come."""
        if self.complete or len(self.judging.failing) < 2:
            return False
        if self._parted_at is None:
            mended = {case for one in self._improving if not one.breaks for case in one.fixes}
            if not self.judging.copies.still_failing(self.judging.failing, mended):
                self._parted_at = time.monotonic(), self.judged, self._cost
            return False
        since_s, judged, cost = self._parted_at
        return self._is_late(since_s, judged) or self._cost > cost + _FAR_BITS

    @property
    def left_out(self) -> int:
        """Single edits of the program that are where the search may not edit."""
        return self.edits.left_out

    @property
    def cut_short(self) -> CutShort:
        """Return what ended it before it had tried all that it would; empty when nothing did."""
        if self._stopped():
            return "stopped"
        if time.monotonic() >= self.deadline:
            return "time"
        if self.judged >= self._most:
            return "number"
        return "held" if self._unsure.is_left and not self.complete else ""

    @property
    def left_s(self) -> float:
        """Seconds until the deadline; 0 behind it."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def best(self) -> Candidate | None:
        """Return the cheapest that passes every case, else the one that mends most."""
        if self.complete:
            return min(self.complete, key=lambda c: (c.cost, c.summary))
        return next(iter(self.improving()), None)

    def is_step(self, stage: Stage) -> bool:
        """Tell whether an edit mends one of several independent mistakes: it fixes a case and breaks none, and the
        cases that still fail never come to its line. That is a repair of its own; the others are for later."""

        def stays_out(case: str, candidate: Candidate) -> bool:
            lines = stage.coverage.get(case, {})
            return any(lines.values()) and candidate.line not in lines.get(candidate.path, ())

        return any(
            not candidate.breaks
            and stage.copies.real(candidate.fixes)
            and all(stays_out(case, candidate) for case in set(self.judging.failing) - set(candidate.fixes))
            for candidate in self.improving()
        )

    def take_altering(self) -> None:
        """Take edits that mend every case and make objects alike that the tests compare, where nothing else mends a
        case: how objects are made may be what is wrong."""
        plain = [one for one in self._improving if self.judging.copies.real(one.fixes) and not one.breaks]
        wanted = {*self.judging.copies.real(self.judging.failing)}
        if self.complete or any(not one.loses for one in plain):
            return
        whole = [one for one in plain if wanted <= {*one.fixes}]
        self._take([replace(one, complete=True) for one in whole])

    def improving(self) -> list[Candidate]:
        """Return those that fix a case and break fewer than they fix, best first."""
        improving = [c for c in self._improving if len(c.fixes) > len(c.breaks)]
        return sorted(improving, key=lambda c: (-c.gained, c.cost, c.size, c.summary))

    async def singles(
        self,
        stage: Stage,
        hints: Collection[tuple[str, int]],
        between: Callable[[], AsyncGenerator[None, None]] | None = None,
    ) -> AsyncGenerator[None, None]:
        """Try all single edits of the program, and what is `between` where the likeliest heal nothing.

        Raises: SandboxError.
        """
        candidates = await self.candidates_of(stage, hints, self._exclude)
        self.edits = candidates.edits
        drawn = iter(candidates)
        likeliest: list[Candidate] = []
        first = _noted(islice(drawn, _LIKELY) if between else drawn, likeliest, _PATIENT)
        async with aclosing(self.go_through(first)) as steps:
            async for _ in steps:
                yield
        async with aclosing(self._judge_unsure()) as steps:
            async for _ in steps:
                yield
        if not self.is_over:
            await self.confirm_improving(_CONFIRMED_EARLY)
            yield
        others = 0
        if between is not None:
            before = self.judged
            if not self.is_over and not self.complete:
                async with aclosing(between()) as steps:
                    async for _ in steps:
                        yield
            others = self.judged - before
            if not self._has_enough:
                async with aclosing(self.go_through(drawn)) as steps:
                    async for _ in steps:
                        yield
        async with aclosing(self._judge_unsure()) as steps:
            async for _ in steps:
                yield
        self.singles_judged = self.judged - others
        is_through = not self.is_over and not self.complete
        self.tried_all = is_through and not self._unsure.is_left
        if is_through:
            until = time.monotonic() + _PATIENT_SHARE * self.left_s
            slow = [
                candidate for candidate in likeliest if all(candidate.changes != c.changes for c in self._improving)
            ]
            async with aclosing(self.go_through(iter(slow), until, patient=True)) as steps:
                async for _ in steps:
                    yield

    async def confirm_improving(self, most: int = _CONFIRMED) -> None:
        """Judge those that seem to help most in processes of their own: a batch stops long loops earlier than a case
        does. Raises: SandboxError."""
        best = self.improving()[:most]
        if best and not self.complete:
            self._improving = [candidate for candidate in self._improving if candidate not in best]
            self._take(await self.judging.confirm(best))

    async def candidates_of(
        self, stage: Stage, hints: Collection[tuple[str, int]] = (), exclude: Collection[str] = ()
    ) -> Candidates:
        """Look into a program and return its single edits. Raises: SandboxError."""
        examined = await self.judging.examine(stage.suite)
        return await asyncio.to_thread(_build, stage, examined, hints, exclude, self._avoid)

    async def go_through(
        self, drawn: Iterator[Candidate], deadline: float | None = None, patient: bool = False
    ) -> AsyncGenerator[None, None]:
        """Judge candidates in rounds until they end, enough heal, or the budget or this deadline is over; `patient` as
        in `Judging.sift`.

        A round is drawn while the one before it is judged: what was drawn and is not judged any more is lost.
        """
        deadline = min(self.deadline, deadline or self.deadline)
        size = _FIRST_ROUND
        ended = threading.Event()
        ahead = _draw(drawn, min(size, self._most), ended)
        try:
            while not self.is_over and time.monotonic() < deadline and (batch := await ahead):
                size = min(_LINGER_ROUND if self.complete else _MOST_ROUND, size * 2)
                ahead = _draw(drawn, min(size, self._most), ended)
                self.total += 0 if patient else len(batch)
                hopeful: list[Candidate] = []
                unsure: list[Candidate] = []
                before = self.judged
                async with aclosing(self.judging.sift(batch, deadline, patient)) as rounds:
                    async for judged_round in rounds:
                        self.judged += 0 if patient else judged_round.judged
                        hopeful += judged_round.hopeful
                        unsure += judged_round.unsure
                        yield
                        if self._stopped():
                            break
                if not patient:
                    self._unsure.add(unsure)
                if self.judged - before + len(unsure) == len(batch) and not patient:
                    left = {*map(id, unsure)}
                    self.tally.note_tried([candidate for candidate in batch if id(candidate) not in left])
                await self._keep(hopeful)
                self._cost = batch[-1].cost
                yield
                if self._is_enough(batch[-1].cost):
                    self._has_enough = True
                    return
        finally:
            ended.set()
            await ahead

    async def _judge_unsure(self) -> AsyncGenerator[None, None]:
        """Run what no batch could judge in processes of their own, until something heals or a share of the time is up.

        Raises: SandboxError.
        """
        until = time.monotonic() + _WHOLE_SHARE * self.left_s
        while not self.is_over and not self.complete and time.monotonic() < until and (some := self._unsure.take()):
            hopeful: list[Candidate] = []
            before = self.judged
            async with aclosing(self.judging.one_by_one(some, until)) as rounds:
                async for judged_round in rounds:
                    self.judged += judged_round.judged
                    hopeful += judged_round.hopeful
                    yield
                    if self._stopped():
                        break
            if self.judged - before == len(some):
                self.tally.note_tried(some)
            else:
                self._unsure.miss()
            await self._keep(hopeful)
            yield

    async def _keep(self, hopeful: list[Candidate]) -> None:
        hopeful = [as_one_change(one, self.suite.files) for one in hopeful if self._is_open(one)]
        hopeful.sort(key=lambda c: (c.cost, c.size, c.summary))
        may_be_whole = self.judging.may_be_whole
        partial = [one for one in hopeful if not one.complete and not may_be_whole(one)]
        whole = [one for one in hopeful if (one.complete or may_be_whole(one)) and self._is_new(one)]
        self.tally.note_helpful(partial)
        self._improving += partial
        if not whole:
            return
        # A batch runs the files of the failing cases only: what passes there may break a case of another file.
        confirmed = await self.judging.confirm(whole[:_ENOUGH_COMPLETE])
        self.tally.note_helpful(confirmed)
        self._take(confirmed)

    def _take(self, confirmed: Sequence[Candidate]) -> None:
        fresh = [candidate for candidate in confirmed if candidate.complete]
        self._improving += [candidate for candidate in confirmed if not candidate.complete]
        if fresh and self._healed_at is None:
            self._healed_at = time.monotonic(), self.judged
        self.is_news |= bool(fresh)
        self.complete += fresh

    async def judge(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Run each in a process of its own, and return them in this order with what they do. Raises: SandboxError."""
        self.total += len(candidates)
        self.judged += len(candidates)
        return await self.judging.confirm(candidates) if candidates else []

    def keep(self, judged: Iterable[Candidate]) -> None:
        """Keep what passes every case or a part, each judged in a process of its own."""
        self._take([*judged])

    def keep_improving(self, judged: Iterable[Candidate]) -> None:
        """Keep candidates that mend a part, each judged in a process of its own."""
        self._improving += judged

    def is_wanted(self, candidate: Candidate) -> bool:
        """Tell whether it is none of those that were refused, nor edits lines together that are closed together."""
        return changes_key(candidate.changes) not in self._exclude and self._is_open(candidate)

    def _is_open(self, candidate: Candidate) -> bool:
        places = {(candidate.path, candidate.line), *candidate.before}
        return not any(closed <= places for closed in self._apart)

    def _is_new(self, candidate: Candidate) -> bool:
        shape = shape_of(candidate.changes)
        if shape is None or shape in self._shapes:
            return False
        self._shapes.add(shape)
        return self.is_wanted(candidate)

    def _is_enough(self, cost: float) -> bool:
        if not self.complete or self._healed_at is None:
            return False
        far = cost > min(candidate.cost for candidate in self.complete) + _FAR_BITS
        return far or self._is_late(*self._healed_at) or len(self.complete) >= _ENOUGH_COMPLETE

    def _is_late(self, since_s: float, judged: int) -> bool:
        """Tell whether it has gone on for long since a time at which so many edits had been judged."""
        return time.monotonic() - since_s > _LINGER_S or self.judged - judged >= max(_LINGER, judged)


def _build(
    stage: Stage, examined: Examined, hints: Collection[tuple[str, int]], exclude: Collection[str], avoid: Avoid
) -> Candidates:
    sources, tests = stage.sources, stage.test_texts
    observations = build_observations(examined, stage.report, sources, tests)
    suspects = localise(stage.copies.without_objects(stage.report), stage.coverage, sources, stage.recent)
    failing = [case["id"] for case in stage.report["cases"] if is_failing(case)]
    return build_candidates(
        sources,
        list(tests.values()),
        suspects,
        hints,
        exclude,
        observations,
        failing,
        avoid,
        lambda source, location: restored_edits(source, location, stage.recent),
        grown_edits,
    )


def _draw(drawn: Iterator[Candidate], count: int, ended: threading.Event) -> asyncio.Task[list[Candidate]]:
    """Begin to make the next candidates in a thread, until nobody waits for them."""
    wanted = takewhile(lambda _: not ended.is_set(), islice(drawn, count))
    return asyncio.create_task(asyncio.to_thread(lambda: list(wanted)))


def _noted(drawn: Iterator[Candidate], first: list[Candidate], most: int) -> Iterator[Candidate]:
    """Yield what is drawn, and put the first ones into a list."""
    for one in drawn:
        if len(first) < most:
            first.append(one)
        yield one
