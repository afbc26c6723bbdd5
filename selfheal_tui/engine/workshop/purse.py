"""Keep a run within its budgets while several calls are under way: each is reserved before it starts, settled after.

A call starts while something is left of every budget. Beside others it starts only when the most that all of them may
use fits in as well; otherwise it waits until they are done. So a budget is exceeded by one call at most.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

from selfheal_tui.llm.base import Usage
from selfheal_tui.store.bills import Bills

from ..moment.budget import fits, kept_for_needed, reached, sentence
from ..moment.state import HealState, RunLimits, Spent, add_spent, no_spend, spend_of

_OF_SHARE = 0.5
"""Of a lane's time that one search may take: to compare and to try what it finds can take as long."""
_UNLIMITED: RunLimits = {"max_iterations": 0, "max_tokens": None, "max_cost_usd": None, "max_time_s": None}


class UsedUp(Exception):
    """A call that was not made, because a budget is used up; the text says which."""


@dataclass(slots=True)
class Reservation:
    """One call that is under way."""

    waited_s: float
    """How long it waited for others to end."""
    usage: Usage | None = None
    """What the call has used, as soon as that is known."""


class Budget:
    """Limits, what was used of them, and what the calls under way may use at most."""

    def __init__(self, limits: RunLimits, spent: Spent) -> None:
        self.limits = limits
        self.spent = spent
        self.under_way: list[Spent] = []
        self.changed = asyncio.Event()
        """Set, and replaced, when a call has ended."""

    def used_up(self) -> str:
        """Return one sentence when the budget is used up; empty while there is some left."""
        names = reached(self.limits, self.spent)
        return sentence(self.limits, self.spent, names) if names else ""

    def kept_for_needed(self, calls: int) -> str:
        """Return one sentence when what is left is needed for others: less than `calls` calls; else empty."""
        return kept_for_needed(self.limits, self.spent, calls)

    def share_s(self) -> float | None:
        """Return the seconds for which one who uses it may work on now; None where nothing limits that."""
        return None

    def has_room_for(self, most: Spent) -> bool:
        """Tell whether a call that may use this much can start beside those under way."""
        total = self.spent
        for call in (*self.under_way, most):
            total = add_spent(total, call)
        return not self.under_way or fits(self.limits, total)

    def ended(self, most: Spent, paid: Spent) -> None:
        """Settle a call that was reserved as `most`."""
        self.under_way.remove(most)
        self.spent = add_spent(self.spent, paid)
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()


async def spent_beyond(checkpoint_id: str, bills: Bills) -> Spent:
    """Return what was used since a checkpoint by a run that was cut off: open bills, and results that wait."""
    spent = no_spend()
    for _, usage in await bills.open():
        spent = add_spent(spent, spend_of(usage))
    for bill in await bills.waiting(checkpoint_id):
        spent = add_spent(spent, cast(Spent, bill))
    return spent


class Purse:
    """The budget of one branch, and in a race that of all lanes together."""

    def __init__(self, shared: Budget | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._shared = shared
        self._clock = clock
        self._own = Budget(_UNLIMITED, no_spend())
        self._moment: object = None
        self._looking = asyncio.Lock()
        self._search_s: float | None = None

    @property
    def _budgets(self) -> tuple[Budget, ...]:
        return (self._own, self._shared) if self._shared else (self._own,)

    def lanes_used_up(self) -> str:
        """Return one sentence when the lanes of a race have used their budget up; empty otherwise."""
        return self._shared.used_up() if self._shared else ""

    def search_s(self) -> float | None:
        """Return how long a search of a lane may take, never longer than one before; None where nothing limits it.

        Else what is found would be thrown away, to search once more as soon as another lane ends.
        """
        share_s = self._shared.share_s() if self._shared else None
        if share_s is not None:
            self._search_s = min(_OF_SHARE * share_s, share_s if self._search_s is None else self._search_s)
        return self._search_s

    def kept_for_needed(self, state: HealState, calls: int) -> str:
        """Return one sentence when an optional call would take what is needed: less than `calls` calls are left."""
        own = kept_for_needed(state["limits"], state.get("spent"), calls)
        return own or (self._shared.kept_for_needed(calls) if self._shared else "")

    @asynccontextmanager
    async def reserved(
        self, state: HealState, checkpoint_id: str, bills: Bills, most: Spent, tell_wait: Callable[[], None]
    ) -> AsyncIterator[Reservation]:
        """Reserve a call that may use `most` for as long as it is under way; its `usage` is settled at the end.

        `tell_wait` is called when it has to wait for others. Raises: UsedUp.
        """
        await self._look(state, checkpoint_id, bills)
        began = self._clock()
        if not self._may_start(most):
            tell_wait()
        while not self._may_start(most):
            await (self._shared or self._own).changed.wait()
        started = self._clock()
        reservation = Reservation(started - began)
        for budget in self._budgets:
            budget.under_way.append(most)
        try:
            yield reservation
        finally:
            paid = spend_of(reservation.usage) if reservation.usage else no_spend()
            for budget in self._budgets:
                budget.ended(most, {**paid, "time_s": self._clock() - started})

    def _may_start(self, most: Spent) -> bool:
        """Tell whether a call may start now, or after others. Raises: UsedUp."""
        for budget in self._budgets:
            if why := budget.used_up():
                raise UsedUp(why)
        return all(budget.has_room_for(most) for budget in self._budgets)

    async def _look(self, state: HealState, checkpoint_id: str, bills: Bills) -> None:
        """Start afresh at a new moment; those who run beside each other there settle their calls on top of that."""
        moment = checkpoint_id, state.get("spent"), state["limits"]
        async with self._looking:
            if moment == self._moment:
                return
            spent = add_spent(state.get("spent"), await spent_beyond(checkpoint_id, bills))
            self._own, self._moment = Budget(state["limits"], spent), moment
