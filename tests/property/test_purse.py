"""Whatever calls run side by side, on one branch or on the lanes of a race: no budget is exceeded by more than one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from selfheal_tui.engine.moment.budget import BUDGETS, used
from selfheal_tui.engine.moment.state import HealState, RunLimits, Spent, add_spent, no_spend, spend_of
from selfheal_tui.engine.workshop.purse import Purse, UsedUp
from selfheal_tui.engine.workshop.race_budget import RaceBudget
from selfheal_tui.llm.base import Usage
from selfheal_tui.store.bills import Bills
from tests.examples import examples


class Call(NamedTuple):
    """What a call uses, and how much more it might have used."""

    tokens: int
    cents: int
    seconds: int
    slack: int
    fails: bool

    @property
    def usage(self) -> Usage:
        return Usage(self.tokens, 0, self.cents / 100)

    @property
    def most(self) -> Spent:
        most = spend_of(Usage(self.tokens + self.slack, 0, (self.cents + self.slack) / 100))
        return {**most, "time_s": float(self.seconds + self.slack + _TICKS)}


_TICKS = 4
"""More seconds than the clock ticks while a call that takes none is reserved and settled."""
_UNLIMITED = {"max_iterations": 9, **dict.fromkeys(BUDGETS)}
CALL = st.builds(
    Call,
    st.integers(0, 9),
    st.integers(0, 9),
    st.integers(0, 3),
    st.integers(0, 9),
    st.sampled_from([False, False, True]),
)
ROUND = st.lists(st.lists(CALL, min_size=1, max_size=3), min_size=1, max_size=3)
"""Strategies side by side, each with its calls."""
LANES = st.lists(st.lists(ROUND, min_size=1, max_size=3), min_size=1, max_size=3)
LIMITS = st.fixed_dictionaries(
    {
        "max_calls": st.none() | st.integers(1, 6),
        "max_tokens": st.none() | st.integers(1, 30),
        "max_cost_usd": st.none() | st.sampled_from([0.01, 0.09, 0.2]),
        "max_time_s": st.none() | st.integers(1, 12),
    }
)


class NoBills:
    """A file without open bills."""

    async def open(self) -> list[Any]:
        return []

    async def waiting(self, checkpoint_id: str) -> list[Any]:
        return []


class Clock:
    """Seconds that pass while the loop turns."""

    now = 0.0

    async def run(self) -> None:
        while True:
            self.now += 1.0
            await asyncio.sleep(0)

    async def sleep(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:  # noqa: ASYNC110
            await asyncio.sleep(0)


class Lane:
    """A branch that works through its rounds."""

    def __init__(self, purse: Purse, limits: RunLimits, clock: Clock) -> None:
        self.purse, self.limits, self.clock = purse, limits, clock
        self.spent = no_spend()
        self.made: list[Spent] = []

    async def run(self, rounds: Sequence[Sequence[Sequence[Call]]]) -> None:
        for number, strategies in enumerate(rounds):
            state = cast(HealState, {"limits": self.limits, "spent": self.spent})
            bills = await asyncio.gather(*(self._strategy(state, str(number), calls) for calls in strategies))
            for bill in bills:
                self.spent = add_spent(self.spent, bill)

    async def _strategy(self, state: HealState, moment: str, calls: Sequence[Call]) -> Spent:
        bill = no_spend()
        for call in calls:
            began = self.clock.now
            try:
                async with self.purse.reserved(state, moment, cast(Bills, NoBills()), call.most, lambda: None) as one:
                    began += one.waited_s
                    await self.clock.sleep(call.seconds)
                    one.usage = None if call.fails else call.usage
            except UsedUp as used_up:
                assert "used up" in str(used_up)
                return bill
            paid = no_spend() if call.fails else spend_of(call.usage)
            self.made.append({**paid, "time_s": self.clock.now - began})
            bill = add_spent(bill, self.made[-1])
        return bill


def _check(limits: dict[str, Any], made: Sequence[Spent], planned: int) -> None:
    total = no_spend()
    for bill in made:
        total = add_spent(total, bill)
    for name in BUDGETS:
        amounts = [cast(float, used(bill, name)) for bill in made]
        if limits[name] is not None:
            assert cast(float, used(total, name)) < limits[name] + max(amounts, default=0) + 1e-9, name
    if limits["max_calls"] is not None:
        assert total["calls"] <= limits["max_calls"]
    if all(limits[name] is None or cast(float, used(total, name)) < limits[name] for name in BUDGETS):
        assert len(made) == planned, "a call was not made although there was room"


@settings(max_examples=examples(300, quick=60), deadline=None)
@given(LANES, LIMITS, st.booleans())
def test_a_budget_is_exceeded_by_one_call_at_most(
    lanes: list[list[list[list[Call]]]], limits: dict[str, Any], is_race: bool
) -> None:
    asyncio.run(_drive(lanes if is_race else lanes[:1], cast(RunLimits, {"max_iterations": 9, **limits}), is_race))


async def _drive(lanes: list[list[list[list[Call]]]], limits: RunLimits, is_race: bool) -> None:
    clock = Clock()
    ticking = asyncio.create_task(clock.run())
    pool = RaceBudget(limits, {str(number): no_spend() for number in range(len(lanes))}) if is_race else None
    own = cast(RunLimits, _UNLIMITED) if is_race else limits
    running = [Lane(Purse(pool, lambda: clock.now), own, clock) for _ in lanes]
    async with asyncio.timeout(20):
        await asyncio.gather(*(lane.run(rounds) for lane, rounds in zip(running, lanes, strict=True)))
    ticking.cancel()
    made = [bill for lane in running for bill in lane.made]
    planned = sum(len(calls) for rounds in lanes for strategies in rounds for calls in strategies)
    _check(cast(dict[str, Any], limits), made, planned)


async def test_without_a_budget_no_call_waits_for_another() -> None:
    purse, clock = Purse(), Clock()
    ticking = asyncio.create_task(clock.run())
    state = cast(HealState, {"limits": _UNLIMITED, "spent": no_spend()})
    together = 0

    async def call() -> None:
        nonlocal together
        async with purse.reserved(state, "m", cast(Bills, NoBills()), {**no_spend(), "calls": 1}, _never):
            together += 1
            while together < 3:  # noqa: ASYNC110
                await asyncio.sleep(0)

    async with asyncio.timeout(5):
        await asyncio.gather(call(), call(), call())
    ticking.cancel()


def _never() -> None:
    raise AssertionError("it waits")
