"""Reliability diagram: what a repair's confidence said against how often such repairs are right. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .draw import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Scale, axes, box, label, legend, line, mark, svg


def reliability(figures: Mapping[str, Any]) -> str:
    """Return the diagram of a `calibration`: for each bin its share with its interval, and how many repairs it has."""
    x = Scale(0.0, 1.0, LEFT, WIDTH - RIGHT, tuple((n / 5, f"{n / 5:g}") for n in range(6)))
    y = Scale(0.0, 1.0, HEIGHT - BOTTOM, TOP, tuple((n / 5, f"{20 * n} %") for n in range(6)))
    parts = [*axes(x, y, "confidence of the repair", "share right")]
    for row in figures["bins"]:
        right = row["repaired"]
        left, width = x.at(row["from"]) + 3, x.at(row["to"]) - x.at(row["from"]) - 6
        said = (
            f"confidence {row['from']:.1f} to {row['to']:.1f}: {right['count']} of {right['of']} right "
            f"({100 * right['rate']:.0f} %, 95 % interval {100 * right['low']:.0f} to {100 * right['high']:.0f} %), "
            f"said {row['mean_confidence']:.2f}"
        )
        parts.append(box(left, y.at(right["rate"]), width, y.start - y.at(right["rate"]), "bar", said))
    parts.append(line(x.start, y.start, x.end, y.end, "ideal"))
    for row in figures["bins"]:
        right, middle = row["repaired"], (x.at(row["from"]) + x.at(row["to"])) / 2
        low, high = y.at(right["low"]), y.at(right["high"])
        parts += [line(middle, low, middle, high, "whisker")]
        parts += [line(middle - 5, place, middle + 5, place, "whisker") for place in (low, high)]
        parts.append(mark(x.at(row["mean_confidence"]), y.at(right["rate"]), "diamond", "mark-said"))
        parts.append(label(middle, y.start + 17, f"n = {right['of']}", "count", "middle"))
    samples = [
        (line(0, 0, 22, 0, "ideal"), "as sure as right"),
        (mark(11, 0, "diamond", "mark-said"), "mean said"),
        (line(11, -7, 11, 7, "whisker"), "95 %"),
    ]
    about = f"Confidence of {figures['repairs']} repairs against how many are right, in {len(figures['bins'])} bins"
    return svg(about, [*parts, legend(samples, x=LEFT + 60)])
