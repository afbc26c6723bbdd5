"""One budget for the lanes of a race together: what each has used since the race began.

In memory: after a crash it is counted anew from what the lanes have saved, and from their open bills.
Lanes that run on other machines cannot ask it: each gets an equal part of what is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ..moment.budget import BUDGETS, used
from ..moment.state import RunLimits, Spent, add_spent, no_spend, spent_between
from .purse import Budget


class RaceBudget(Budget):
    """What the lanes may use; the time is the lanes' working time added up."""

    whose = "All lanes together"
    """Begins each sentence about it."""

    def __init__(self, limits: RunLimits, before: Mapping[str, Spent]) -> None:
        """`before` is what stood on each lane's bill when the race began, by branch."""
        super().__init__(limits, no_spend())
        self._before = before
        self._time_s = dict.fromkeys(before, 0.0)

    def begin(self, branch: str, bill: Spent, beyond: Spent) -> None:
        """Count what a lane has used before this process ran it: its bill at its newest moment, and beyond that."""
        self.spent = add_spent(self.spent, {**spent_between(self._before[branch], bill), "time_s": 0.0})
        self.spent = add_spent(self.spent, beyond)
        self.worked(branch, bill)

    def worked(self, branch: str, bill: Spent) -> None:
        """Take note of a lane's working time at its newest moment; its calls are counted as they end."""
        self._time_s[branch] = bill["time_s"] - self._before[branch]["time_s"]
        # What was saved lags behind the calls, and the calls are only a part of the work.
        self.spent = {**self.spent, "time_s": max(self.spent["time_s"], sum(self._time_s.values()))}

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
