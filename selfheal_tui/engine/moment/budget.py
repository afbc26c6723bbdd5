"""What a run may use and what is left of it. Pure: limits and bills in, words and new limits out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypedDict, cast

from .state import RunLimits, Spent, add_spent, no_spend

NOTICE_AT = 0.8
"""Share of a budget at which the user is told."""
BUDGETS = ("max_calls", "max_tokens", "max_cost_usd", "max_time_s")
"""The limits that can be used up, apart from the iterations."""
SEARCH_SHARE = 0.8
"""Of a run's time that one search may take; the rest is for running what it finds."""
_TENS = 10
_STOPS_WITHIN = 1.05


class BudgetReached(TypedDict):
    """What a budget review asks about."""

    reason: str
    """One sentence for each limit that is used up."""
    reached: list[str]
    """Their names."""
    limits: RunLimits
    spent: Spent
    best_iteration: int
    """The iteration whose code passed most cases."""
    best_passed: int
    next: str
    """The node that would have run."""


def used(spent: Spent, name: str) -> float | None:
    """Return how much of a budget was used, in its unit; None for money when a price is unknown."""
    match name:
        case "max_calls":
            return spent["calls"]
        case "max_tokens":
            return spent["input_tokens"] + spent["output_tokens"]
        case "max_cost_usd":
            return spent["cost_usd"]
    return spent["time_s"]


def reached(limits: RunLimits, spent: Spent | None) -> list[str]:
    """Return the names of the limits that are used up; money that cannot be counted counts as used up."""
    bill = spent or no_spend()
    names = []
    for name in BUDGETS:
        limit, have = _limit(limits, name), used(bill, name)
        if limit is not None and (have is None or have >= limit):
            names.append(name)
    return names


def fits(limits: RunLimits, total: Spent) -> bool:
    """Tell whether a bill stays within the limits; one of unknown price stays within no limit in dollars."""
    for name in BUDGETS:
        limit, have = _limit(limits, name), used(total, name)
        if limit is not None and (have is None or have > limit):
            return False
    return True


def kept_for_needed(limits: RunLimits, spent: Spent | None, calls: int, size: Spent | None = None) -> str:
    """Say so when less than `calls` more calls are left, each as large as `size`, else as those so far; else empty.

    For what a run can do without: it must not take what a diagnosis or a repair needs.
    """
    bill = spent or no_spend()
    names = reached(limits, bill)
    if names:
        return sentence(limits, bill, names)
    call = size or _usual(bill)
    total = bill
    for _ in range(calls):
        total = add_spent(total, call)
    short = [name for name in BUDGETS if not fits(_only(limits, name), total)]
    if not short:
        return ""
    limit = amount(short[0], cast(float, _limit(limits, short[0])))
    return f"What is left of the budget of {limit} is kept for the calls that are needed."


def share(limits: RunLimits, spent: Spent | None) -> tuple[float, str] | None:
    """Return the largest share of a budget that was used, 0.0 and up, and its name; None without a budget."""
    bill = spent or no_spend()
    shares = []
    for name in BUDGETS:
        limit, have = _limit(limits, name), used(bill, name)
        if limit is not None and have is not None:
            shares.append((have / limit, name))
    return max(shares) if shares else None


def notice(limits: RunLimits, spent: Spent | None) -> str:
    """Say how much of the tightest budget is gone, from NOTICE_AT on: `85 % of 20000 tokens`; empty before."""
    tightest = share(limits, spent)
    if tightest is None or tightest[0] < NOTICE_AT:
        return ""
    part, name = tightest
    return f"{math.floor(part * 100)} % of {amount(name, cast(float, _limit(limits, name)))}"


def sentence(limits: RunLimits, spent: Spent | None, names: list[str]) -> str:
    """Say which budgets are used up."""
    bill = spent or no_spend()
    parts = []
    for name in names:
        have, limit = used(bill, name), _limit(limits, name)
        if have is None:
            parts.append("A call's price is unknown, so the budget in dollars cannot be kept; use one in tokens.")
        else:
            parts.append(f"The budget of {amount(name, cast(float, limit))} is used up ({amount(name, have)}).")
    return " ".join(parts)


def time_for_search(spent: Spent, search_s: float) -> int:
    """Return the limit in seconds with which a run's next search may take twice `search_s`, rounded up to tens."""
    return _TENS * math.ceil((spent["time_s"] + 2 * search_s / SEARCH_SHARE) / _TENS)


def amount(name: str, value: float) -> str:
    """Say an amount with its unit: `100 tokens`, `$0.5`, `30 s`, `4 calls`."""
    match name:
        case "max_calls":
            return f"{value:g} call" + "s" * (value != 1)
        case "max_tokens":
            return f"{value:g} tokens" if value < 1e6 else f"{value:,.0f} tokens"
        case "max_cost_usd":
            return f"${value:g}" if value >= 0.01 or not value else f"${value:.4f}"
    return f"{value:.0f} s" if value >= 10 else f"{value:.3g} s"


def over_words(limits: RunLimits, spent: Spent) -> str:
    """Say that lanes of a race used more than their budget, and why that can be; empty where they did not."""
    # The time is looked at when it is over: a little more than it passes until all have stopped.
    counted: Spent = {**spent, "time_s": spent["time_s"] / _STOPS_WITHIN}
    over = [name for name in BUDGETS if not fits(_only(limits, name), counted)]
    parts = []
    for name in over:
        have, limit = used(spent, name), cast(float, _limit(limits, name))
        parts.append(f"{'unknown' if have is None else amount(name, have)} of {amount(name, limit)}")
    why = "what had begun when the budget ended was not cut off: a call to a model, the last look at a healed program"
    return f"Over the budget ({', '.join(parts)}): {why}." if parts else ""


def same_again(limits: RunLimits, spent: Spent, names: list[str]) -> RunLimits:
    """Return limits with as much room again for what is used up; money of unknown price is no longer counted."""
    new: dict[str, Any] = dict(limits)
    for name in names:
        have, limit = used(spent, name), _limit(limits, name)
        new[name] = None if have is None or limit is None else max(have, limit) + limit
        if name in ("max_calls", "max_tokens") and new[name] is not None:
            new[name] = math.ceil(new[name])
    return cast(RunLimits, new)


def _usual(spent: Spent) -> Spent:
    """Return the bill of a call of average size; of one without tokens while none was made."""
    calls = max(spent["calls"], 1)
    cost_usd = spent["cost_usd"]
    return {
        **no_spend(),
        "calls": 1,
        "input_tokens": spent["input_tokens"] // calls,
        "output_tokens": spent["output_tokens"] // calls,
        "cost_usd": None if cost_usd is None else cost_usd / calls,
    }


def _only(limits: RunLimits, name: str) -> RunLimits:
    return cast(RunLimits, {**dict.fromkeys(BUDGETS), "max_iterations": 1, name: _limit(limits, name)})


def _limit(limits: RunLimits, name: str) -> float | None:
    return cast(Mapping[str, float | None], limits).get(name)
