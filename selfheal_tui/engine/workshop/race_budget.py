"""One budget for the lanes of a race together: what each has used since the race began.

In memory: after a crash it is counted anew from what the lanes have saved, and from their open bills.
Lanes that run on other machines cannot ask it: each gets an equal part of what is left.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, cast

from ..moment.budget import BUDGETS, sentence, used
from ..moment.state import RunLimits, Spent, add_spent, no_spend, spent_between
from .purse import Budget


class RaceBudget(Budget):
    """What the lanes may use; the time is the lanes' working time added up."""

    whose = "All lanes together"
    """Begins each sentence about it."""

    def __init__(
        self, limits: RunLimits, before: Mapping[str, Spent], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`before` is what stood on each lane's bill when the race began, by branch."""
        super().__init__(limits, no_spend())
        self._before = before
        self._time_s = dict.fromkeys(before, 0.0)
        self._clock = clock
        self._since: dict[str, float] = {}
        """Lane that runs -> when its newest moment was saved."""

    def begin(self, branch: str, bill: Spent, beyond: Spent) -> None:
        """Count what a lane has used before this process ran it: its bill at its newest moment, and beyond that."""
        self.spent = add_spent(self.spent, {**spent_between(self._before[branch], bill), "time_s": 0.0})
        self.spent = add_spent(self.spent, beyond)
        self.worked(branch, bill)

    def worked(self, branch: str, bill: Spent) -> None:
        """Take note of a lane's working time at its newest moment; its calls are counted as they end."""
        if branch in self._since:
            self._since[branch] = self._clock()
        self._time_s[branch] = bill["time_s"] - self._before[branch]["time_s"]
        # What was saved lags behind the calls, and the calls are only a part of the work.
        self.spent = {**self.spent, "time_s": max(self.spent["time_s"], sum(self._time_s.values()))}

    def runs(self, branch: str) -> None:
        """Count the time of a lane from now on, also before it saves anything."""
        self._since[branch] = self._clock()

    def rests(self, branch: str) -> float:
        """Count it no longer; return the seconds since its newest moment was saved."""
        return self._clock() - self._since.pop(branch) if branch in self._since else 0.0

    def cut_off(self, branch: str) -> float:
        """Let a lane rest in the middle of its work; return how much of that no bill has."""
        worked_s = self.rests(branch)
        self._time_s[branch] += worked_s
        self.spent = {**self.spent, "time_s": self.spent["time_s"] + worked_s}
        return worked_s

    def left_s(self) -> float | None:
        """Return the seconds of working time that are left now, less than 0 where it was passed; None for no limit."""
        most = self.limits["max_time_s"]
        if most is None:
            return None
        now = self._clock()
        return most - self.spent["time_s"] - sum(now - since for since in self._since.values())

    def share_s(self) -> float | None:
        """Return how long the lanes that run can work on side by side; None for no limit."""
        left_s = self.left_s()
        return None if left_s is None else max(left_s, 0.0) / max(len(self._since), 1)

    def time_words(self) -> str:
        """Say that the time is used up, as it is now with what no lane has saved."""
        worked_s = (self.limits["max_time_s"] or 0.0) - (self.left_s() or 0.0)
        return f"{self.whose}: {sentence(self.limits, {**self.spent, 'time_s': worked_s}, ['max_time_s'])}"

    def used_up(self) -> str:
        """Return one sentence when the lanes have used the budget up; empty while there is some left."""
        why = super().used_up()
        return f"{self.whose}: {why}" if why else ""

    def kept_for_needed(self, calls: int) -> str:
        """Return one sentence when what is left is needed for others: less than `calls` calls; else empty."""
        why = super().kept_for_needed(calls)
        return f"{self.whose}: {why}" if why else ""

    def parts(self, lanes: int) -> list[RunLimits]:
        """Cut what is left into equal parts, one for each of so many lanes; of whole numbers the first get the rest.

        Dollars of which it is not known how many are left have no part.
        """
        cut: list[dict[str, Any]] = [dict(self.limits) for _ in range(lanes)]
        limits: Mapping[str, Any] = self.limits
        for name in BUDGETS:
            if (limit := limits.get(name)) is None:
                continue
            left = max(limit - (have if (have := used(self.spent, name)) is not None else limit), 0)
            for number, part in enumerate(cut):
                part[name] = left // lanes + (number < left % lanes) if isinstance(left, int) else left / lanes
        return [cast(RunLimits, part) for part in cut]


class LanePart(RaceBudget):
    """The part of a race's budget that a lane has which runs on another machine."""

    whose = "This lane's part of the race's budget"
