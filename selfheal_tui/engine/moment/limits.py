"""Limits as people write them: the numbers are checked here. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from selfheal_tui.errors import InputError

from .budget import BUDGETS
from .state import RunLimits


def count_of(name: str, value: Any) -> int:
    """Check a limit that is a whole number. Raises: InputError."""
    try:
        count = int(value)
    except (TypeError, ValueError):
        count = 0
    if count < 1:
        raise InputError(f"{name} cannot be {value!r}.", "Give a whole number from 1.")
    return count


def amount_of(name: str, value: Any) -> float:
    """Check a limit in dollars or seconds. Raises: InputError."""
    try:
        amount = float(value)
    except (TypeError, ValueError):
        amount = 0.0
    if not 0 < amount < math.inf:
        raise InputError(f"{name} cannot be {value!r}.", "Give a number above 0.")
    return amount


def race_limits(budget: Mapping[str, Any]) -> RunLimits:
    """Return the limits of all lanes together. Raises: InputError for a name or a number that cannot be one."""
    limits: dict[str, Any] = {"max_iterations": 1, **dict.fromkeys(BUDGETS)}
    for name, value in budget.items():
        if name not in BUDGETS:
            raise InputError(f"A race has no budget {name!r}.", f"There are: {', '.join(BUDGETS)}.")
        if value is not None:
            limits[name] = count_of(name, value) if name in ("max_calls", "max_tokens") else amount_of(name, value)
    return cast(RunLimits, limits)
