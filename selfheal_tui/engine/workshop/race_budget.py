"""One budget for the lanes of a race together: what each has used since the race began, and whether all of it is gone.

In memory: after a crash it is counted anew from what the lanes have saved.
"""

from __future__ import annotations

from collections.abc import Mapping

from selfheal_tui.llm.base import Usage

from ..moment.budget import reached, sentence
from ..moment.state import RunLimits, Spent, add_spent, no_spend, spend_of, spent_between


class Pool:
    """What the lanes may use; the time is the lanes' working time added up."""

    def __init__(self, limits: RunLimits, before: Mapping[str, Spent]) -> None:
        """`before` is what stood on each lane's bill when the race began, by branch."""
        self._limits = limits
        self._before = before
        self._saved = dict.fromkeys(before, no_spend())
        self._live = dict.fromkeys(before, no_spend())
        """Calls that no checkpoint counts yet."""

    def saved(self, branch: str, bill: Spent) -> None:
        """Take note of a lane's whole bill at its newest moment."""
        self._saved[branch] = spent_between(self._before[branch], bill)
        self._live[branch] = no_spend()

    def called(self, branch: str, usage: Usage) -> None:
        """Take note of a paid call at once: the other lanes go by it before it is saved."""
        self._live[branch] = add_spent(self._live[branch], spend_of(usage))

    def spent(self) -> Spent:
        """Return what all lanes have used together."""
        total = no_spend()
        for bill in (*self._saved.values(), *self._live.values()):
            total = add_spent(total, bill)
        return total

    def used_up(self) -> str:
        """Return one sentence when the lanes have used the budget up; empty while there is some left."""
        total = self.spent()
        names = reached(self._limits, total)
        return f"All lanes together: {sentence(self._limits, total, names)}" if names else ""
