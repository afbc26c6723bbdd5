"""How the work of a function grows, counted instead of timed: a busy machine changes nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_run(call: Callable[[], object]) -> int:
    """Return how many lines of Python `call` runs; work inside functions written in C counts as one line."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def growth(prepared: Callable[[int], Callable[[], object]], size: int) -> float:
    """Return how many times as many lines run at twice `size`: 2 where the work is linear, 4 where it is quadratic.

    `prepared` gets everything ready for a size and returns what is counted.
    """
    small, large = prepared(size), prepared(2 * size)
    small()  # what is kept for the next call is not counted
    return lines_run(large) / lines_run(small)
