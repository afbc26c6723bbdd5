"""Force what places of one program are, run by run, and say with which outcomes a failing case passes.

The program calls `__force__(number, value)` at each place. Sends `forced` for each way in which a case passes: the
case, the place, whether anything was changed, and the samples: what the place was, what it is wanted to be, whether
the opposite would do as well, and the variables. Passing cases come last, as they are.
"""

from __future__ import annotations

import ast
import builtins
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from types import FrameType
from typing import Any

from ..report import Reporter
from .cases import Cases
from .examine import literal_of
from .shelf import Shelf

_FORCE = "__force__"
_ALL_WAYS = 6
"""Evaluations of a condition in one case of which all sequences of outcomes are tried."""
_TWO_AT_ONCE, _ONE_AT_A_TIME, _VALUES_AT_A_TIME = 11, 24, 6
"""Evaluations of which two are changed together, or one; the same for other values."""
_MOST_CASES = 5
"""Failing cases that are tried at one place: those that come there least often."""
_MOST_WAYS = 3
"""Ways to make a case pass at one place that are told."""
_MOST_SAMPLES, _MOST_NAMES, _MOST_FIELDS = 40, 14, 8
_MOST_OUTCOMES = 5_000
_INNER = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>"})
_FAILING_SHARE = 0.7
"""Of the time, for the cases that fail."""
_ALWAYS = -1


@dataclass(frozen=True, slots=True)
class _Plan:
    """What one run changes at a place: some of its evaluations."""

    place: int
    evaluations: int
    """As bits, the first one lowest; a negative number has all above some."""
    value: Any = None
    """What they are; of a condition its opposite where None."""
    also: int = -1
    """One more that is to be its opposite."""

    def apply(self, count: int, value: Any) -> Any:
        """Return what the evaluation with this number is to be."""
        if self.evaluations >> count & 1:
            value = (not value) if self.value is None else self.value
        return (not value) if count == self.also else value


class Forcing:
    """Runs the cases of one order with forced outcomes."""

    def __init__(self, reporter: Reporter, job: Mapping[str, Any], shelf: Shelf) -> None:
        self._reporter = reporter
        self._shelf = shelf
        self._cases: Cases
        self._variant: Mapping[str, str] = job["variant"]
        self._trials: Sequence[Sequence[str]] = job["trials"]
        self._wanted: Sequence[str] = job["failing"]
        self._kept: Sequence[str] = job["passing"]
        self._seconds: float = job["variant_time_s"]
        self._all_s: float = job["forcing_s"]
        self._plan: _Plan | None = None
        self._counts: dict[int, int] = {}
        self._outcomes: dict[int, list[bool]] | None = None
        """Of the conditions, while a case is run as it is."""
        self._watched: frozenset[int] = frozenset()
        self._samples: dict[int, list[Any]] = {}

    def before_collection(self) -> None:
        """Let the suite import the program as it is."""
        self._shelf.put({})

    def run(self, cases: Cases) -> None:
        """Try the failing cases at each place; then look at the passing ones."""
        self._cases = cases
        known = set(cases.ids)
        wanted, kept = ([case for case in some if case in known] for some in (self._wanted, self._kept))
        signal.signal(signal.SIGALRM, self._shelf.on_alarm)
        began = time.monotonic()
        cases.prepare([*wanted, *kept])
        cases.choose_reload([self._variant], kept[:4])
        try:
            self._shelf.put(self._variant)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        failing = self._as_it_is(wanted)
        alive = set()
        for place in range(len(self._trials)):
            if time.monotonic() - began > _FAILING_SHARE * self._all_s:
                break
            if self._try_place(place, failing, began + _FAILING_SHARE * self._all_s):
                alive.add(place)
        for case in kept if alive else ():
            if time.monotonic() - began > self._all_s:
                break
            self._watched = frozenset(alive)
            if self._passes(case, None):
                for place, samples in sorted(self._samples.items()):
                    self._send(case, _Plan(place, 0), samples, began + self._all_s)

    def _as_it_is(self, cases: Sequence[str]) -> dict[str, dict[int, list[bool]]]:
        """Return the outcomes at each place of each case that fails here too."""
        outcomes: dict[str, dict[int, list[bool]]] = {}
        for case in cases:
            self._outcomes = {}
            if not self._passes(case, None):
                outcomes[case] = self._outcomes
        self._outcomes = None
        return outcomes

    def _try_place(self, place: int, failing: Mapping[str, Mapping[int, list[bool]]], until: float) -> bool:
        """Tell whether outcomes at a place may make all these cases pass, and send them."""
        outcomes = {case: places.get(place, []) for case, places in failing.items()}
        if not outcomes or not all(outcomes.values()):
            return False
        found: list[tuple[str, _Plan, list[Any]]] = []
        for case in sorted(outcomes, key=lambda case: len(outcomes[case]))[:_MOST_CASES]:
            ways = 0
            for plan in self._plans(place, outcomes[case]):
                if ways >= _MOST_WAYS or time.monotonic() > until:
                    break
                if self._passes(case, plan):
                    self._watched = frozenset({place})
                    again = self._passes(case, plan)
                    self._watched = frozenset()
                    if again:
                        ways += 1
                        found.append((case, plan, self._samples.get(place, [])))
            if not ways and (self._trials[place] or len(outcomes[case]) <= _ALL_WAYS):
                return False
        for case, plan, samples in found:
            self._send(case, plan, samples, until)
        return bool(found)

    def _plans(self, place: int, outcomes: Sequence[bool]) -> Iterator[_Plan]:
        """Yield what may be tried at a place that has these outcomes in a case, little changes first."""
        count = len(outcomes)
        if texts := self._trials[place]:
            values = [value for text in texts if (value := ast.literal_eval(text)) is not None]
            yield from (_Plan(place, _ALWAYS, value) for value in values)
            rounds = range(min(count, _VALUES_AT_A_TIME)) if count > 1 else ()
            yield from (_Plan(place, 1 << at, value) for at in rounds for value in values)
            return
        if count > 1:
            yield from (_Plan(place, _ALWAYS, value) for value in (True, False))
        if count <= _ALL_WAYS:
            yield from _subsets(place, range(count))
            return
        # A condition that seldom holds holds too often, or the other way round.
        seldom = [at for at, outcome in enumerate(outcomes) if outcome is not (2 * sum(outcomes) > count)]
        if len(seldom) <= _ALL_WAYS:
            yield from _subsets(place, seldom)
        rounds = range(min(count, _ONE_AT_A_TIME))
        yield from (_Plan(place, 1 << at) for at in rounds)
        yield from (_Plan(place, _ALWAYS << at) for at in rounds)
        yield from (_Plan(place, 1 << a | 1 << b) for a, b in combinations(range(min(count, _TWO_AT_ONCE)), 2))

    def _send(self, case: str, plan: _Plan, samples: list[Any], until: float) -> None:
        if not self._trials[plan.place]:
            self._watched = frozenset()
            for at, sample in enumerate(samples[:_ONE_AT_A_TIME]):
                if time.monotonic() > until:
                    break
                sample[2] = self._passes(case, replace(plan, also=at))
        self._reporter.send("forced", id=case, place=plan.place, changed=plan.evaluations != 0, samples=samples)

    def _passes(self, case: str, plan: _Plan | None) -> bool:
        self._plan = None
        self._shelf.clear({path: [0, 0, text] for path, text in self._variant.items()})
        vars(builtins)[_FORCE] = self._force
        self._shelf.start_clock(self._seconds)
        try:
            self._cases.load()
            self._plan, self._counts, self._samples = plan, {}, {}
            self._cases.call(case)
            return not self._shelf.late
        except BaseException:  # foreign code, and its time: such a run shows nothing
            return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _force(self, place: int, value: Any) -> Any:
        count = self._counts.get(place, 0)
        self._counts[place] = count + 1
        plan = self._plan
        wanted = value
        if self._outcomes is not None and len(outcomes := self._outcomes.setdefault(place, [])) < _MOST_OUTCOMES:
            outcomes.append(not self._trials[place] and bool(value))
        if plan is not None and plan.place == place:
            wanted = plan.apply(count, value)
        if place in self._watched:
            samples = self._samples.setdefault(place, [])
            # What is changed says most; of the rest the first ones do.
            if len(samples) < (2 if wanted is not value else 1) * _MOST_SAMPLES:
                is_truth = not self._trials[place]
                shown = [repr(bool(one)) if is_truth else literal_of(one) for one in (value, wanted)]
                samples.append([shown[0], shown[1], False, _variables(sys._getframe(1))])
        return wanted


def _subsets(place: int, evaluations: Sequence[int]) -> Iterator[_Plan]:
    """Yield plans for all sets of some evaluations, small ones first."""
    for size in range(1, len(evaluations) + 1):
        yield from (_Plan(place, sum(1 << at for at in some)) for some in combinations(evaluations, size))


def _variables(frame: FrameType | None) -> dict[str, str]:
    """Return name -> literal of what can be named in a frame, with the plain attributes of what is no literal."""
    names: dict[str, Any] = {}
    while frame is not None:
        names = {**frame.f_locals, **names}
        if frame.f_code.co_name not in _INNER:
            break
        frame = frame.f_back
    shown: dict[str, str] = {}
    for name, value in list(names.items())[:_MOST_NAMES]:
        text = literal_of(value)
        fields = getattr(value, "__dict__", None) if not text else None
        shown |= {name: text} if text else {}
        if type(fields) is dict:
            literals = {f"{name}.{field}": literal_of(part) for field, part in list(fields.items())[:_MOST_FIELDS]}
            shown |= {field: text for field, text in literals.items() if text}
    return shown
