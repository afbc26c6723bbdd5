"""Distribution of the times that tasks took, by how they ended. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from ..figures.kinds import KINDS, WORDS, kind_of
from ..figures.metrics import TaskResult
from .draw import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Scale,
    axes,
    box,
    count_scale,
    label,
    legend,
    line,
    short_time,
    svg,
    time_scale,
)
from .squares import cell

_BINS = 14
_GAP = 2


def times(results: Sequence[TaskResult]) -> str:
    """Return the histogram, its bars stacked by kind, with a line at the median."""
    seconds = [r["time_s"] for r in results]
    x = time_scale(seconds, LEFT, WIDTH - RIGHT)
    edges = bin_edges(x)
    counts = {kind: [0] * _BINS for kind in KINDS}
    for result in results:
        counts[kind_of(result)][_bin(edges, result["time_s"])] += 1
    totals = [sum(counts[kind][n] for kind in KINDS) for n in range(_BINS)]
    y = count_scale(max(totals, default=1), HEIGHT - BOTTOM, TOP)
    parts = axes(x, y, "time a task" + (" (logarithmic)" if x.log else ""), "tasks")
    shown = [kind for kind in KINDS if any(counts[kind])]
    for n in range(_BINS):
        base = 0
        left, width = x.at(edges[n]) + _GAP / 2, x.at(edges[n + 1]) - x.at(edges[n]) - _GAP
        for kind in shown:
            if count := counts[kind][n]:
                high, low = y.at(base + count), y.at(base)
                said = f"{short_time(edges[n])} to {short_time(edges[n + 1])}: {count} {WORDS[kind]}"
                parts.append(box(left, high, width, low - high, f"fill-{kind}", said))
                base += count
    median = statistics.median(seconds) if seconds else 0.0
    if seconds:
        place = x.at(median)
        side, away = ("end", -4) if place > (x.start + x.end) / 2 else ("start", 4)
        parts += [
            line(place, y.start, place, y.end - 14, "median"),
            label(place + away, y.end - 6, f"median {short_time(median)}", "tick", side),
        ]
    samples = [(cell(8, -6, 12, kind), WORDS[kind]) for kind in shown]
    about = f"Times of {len(results)} tasks, median {short_time(median)}"
    return svg(about, [*parts, legend(samples, x=LEFT + 10)])


def bin_edges(x: Scale) -> list[float]:
    """Return the ends of the bins, equally wide on the axis."""
    if not x.log:
        return [x.low + (x.high - x.low) * n / _BINS for n in range(_BINS + 1)]
    low, high = math.log(x.low), math.log(x.high)
    return [math.exp(low + (high - low) * n / _BINS) for n in range(_BINS + 1)]


def _bin(edges: Sequence[float], value: float) -> int:
    return next((n for n in range(_BINS - 1) if value < edges[n + 1]), _BINS - 1)
