"""A share with its interval as a small bar: a point between two ends on a line from 0 to 100 %. Pure."""

from __future__ import annotations

from ..figures.metrics import Share
from .draw import line, mark, svg

_WIDTH, _HEIGHT, _EDGE = 160, 16, 6


def interval(share: Share) -> str:
    """Return the bar; empty for a share of nothing."""
    rate, low, high = share["rate"], share["low"], share["high"]
    if rate is None or low is None or high is None:
        return ""

    def at(part: float) -> float:
        return _EDGE + part * (_WIDTH - 2 * _EDGE)

    middle = _HEIGHT / 2
    parts = [
        line(at(0), middle, at(1), middle, "grid"),
        *(line(at(n / 4), middle - 3, at(n / 4), middle + 3, "grid") for n in range(5)),
        line(at(low), middle, at(high), middle, "whisker"),
        *(line(at(end), middle - 4, at(end), middle + 4, "whisker") for end in (low, high)),
        mark(at(rate), middle, "diamond", "mark-said"),
    ]
    return svg(f"{100 * rate:.1f} %, from {100 * low:.1f} to {100 * high:.1f} %", parts, _WIDTH, _HEIGHT)
