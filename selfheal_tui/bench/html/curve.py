"""Healing curves: which share of the tasks was plausible and repaired after so many iterations, or seconds. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..figures.metrics import TaskResult
from .draw import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    WIDTH,
    Scale,
    axes,
    count_scale,
    label,
    legend,
    line,
    mark,
    part_scale,
    path,
    svg,
    time_scale,
)

_MOST_MARKS = 12
"""A longer line has no mark for each step."""
_APART = 13
"""Labels at the ends of two lines are at least so far apart."""


def by_iteration(results: Sequence[TaskResult]) -> str:
    """Return the curve over iterations."""
    most = max((r["iterations"] for r in results), default=0)
    x = count_scale(max(most, 1) + 0.5, LEFT, WIDTH - RIGHT - 44)
    return _curve(results, x, lambda r: r["iterations"], "iterations of the loop", every=True)


def by_seconds(results: Sequence[TaskResult]) -> str:
    """Return the curve over seconds of work on a task."""
    x = time_scale([r["time_s"] for r in results], LEFT, WIDTH - RIGHT - 44)
    name = "time given to each task" + (" (logarithmic)" if x.log else "")
    return _curve(results, x, lambda r: r["time_s"], name, every=False)


def shares(results: Sequence[TaskResult], value: Callable[[TaskResult], float], key: str) -> list[tuple[float, float]]:
    """Return (value, share of all tasks that had `key` by then), ascending: one for each value that adds to it."""
    reached = sorted(value(r) for r in results if r[key])  # type: ignore[literal-required]
    return [
        (at, number / len(results))
        for number, at in enumerate(reached, 1)
        if number == len(reached) or reached[number] != at
    ]


def _curve(
    results: Sequence[TaskResult], x: Scale, value: Callable[[TaskResult], float], name: str, *, every: bool
) -> str:
    y, parts, ends = part_scale(), list[str](), list[tuple[float, str]]()
    for key, shape in (("plausible", "circle"), ("repaired", "square")):
        steps = shares(results, value, key)
        last = steps[-1][1] if steps else 0.0
        points, height = [(x.at(x.low), y.at(0.0))], 0.0
        for at, share in steps:
            points += [(x.at(at), y.at(height)), (x.at(at), y.at(share))]
            height = share
        parts.append(path([*points, (x.end, y.at(last))], f"line-{key}"))
        if every or len(steps) <= _MOST_MARKS:
            parts += [
                mark(x.at(at), y.at(share), shape, f"mark-{key}", f"{key}: {100 * share:.1f} % by {at:.4g}")
                for at, share in steps
            ]
        ends.append((last, key))
    places = [y.at(share) for share, _ in ends]
    if abs(places[0] - places[1]) < _APART:
        middle = min(sum(places) / 2, y.start - _APART / 2)
        places = [middle - _APART / 2, middle + _APART / 2]
    # What is plausible lies above, or on, what is repaired.
    for (share, key), place in zip(ends, places, strict=True):
        parts.append(label(x.end + 5, place + 4, f"{100 * share:.0f} %", f"value-{key}"))
    samples = [(_sample(key, shape), key) for key, shape in (("plausible", "circle"), ("repaired", "square"))]
    said = ", ".join(f"{key} in the end {100 * share:.1f} %" for share, key in ends)
    return svg(
        f"Share of tasks over {name}: {said}",
        [*axes(x, y, name, "share of tasks"), *parts, legend(samples, x=LEFT + 120)],
        WIDTH,
        HEIGHT - BOTTOM + 46,
    )


def _sample(key: str, shape: str) -> str:
    return line(0, 0, 22, 0, f"line-{key}") + mark(11, 0, shape, f"mark-{key}")
