"""What a run cost against what it repaired, task by task as they finished; time where all of it is free. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ..figures.metrics import TaskResult
from .draw import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    axes,
    count_scale,
    label,
    legend,
    line,
    mark,
    money_scale,
    path,
    short_time,
    svg,
    time_scale,
)


def unit_of(results: Sequence[TaskResult]) -> str:
    """Return what the run cost: `usd`, `tokens` where a price is not known, `time` where no model was asked to pay."""
    costs = [r["spent"]["cost_usd"] for r in results]
    if any(cost is None for cost in costs):
        return "tokens"
    return "usd" if any(costs) else "time"


def cost(results: Sequence[TaskResult]) -> str:
    """Return the chart."""
    unit = unit_of(results)
    ordered = sorted(results, key=lambda r: r["finished_at"])
    totals, total = [0.0], 0.0
    for result in ordered:
        total += _price(result, unit)
        totals.append(total)
    start, end = LEFT, WIDTH - RIGHT - 44
    if unit == "usd":
        x, name, said = money_scale(total, start, end), "spent so far, US dollars", f"${total:,.4f}"
    elif unit == "tokens":
        x, name, said = count_scale(total, start, end, 5), "tokens so far", f"{total:,.0f} tokens"
    else:
        x, name, said = time_scale([total], start, end, from_zero=True), "working time so far", short_time(total)
    y = count_scale(len(results), HEIGHT - BOTTOM, TOP)
    parts = [*axes(x, y, name, "tasks")]
    counts = {}
    for key, kind in (("", "finished"), ("plausible", "plausible"), ("repaired", "repaired")):
        count, points = 0, [(x.at(0.0), y.at(0.0))]
        for at, result in zip(totals[1:], ordered, strict=True):
            count += 1 if not key else bool(result[key])  # type: ignore[literal-required]
            points.append((x.at(at), y.at(count)))
        parts.append(path(points, f"line-{kind}"))
        counts[kind] = count
    # Labels of lines that end at nearly the same height would cover each other: the more telling one stays.
    taken: list[float] = []
    for kind, shape in (("repaired", "square"), ("plausible", "circle"), ("finished", "")):
        place = y.at(counts[kind])
        if shape:
            parts.append(mark(x.at(total), place, shape, f"mark-{kind}"))
        if all(abs(place - other) >= 12 for other in taken):
            parts.append(label(x.end + 8, place + 4, str(counts[kind]), f"value-{kind}"))
            taken.append(place)
    samples = [
        (line(0, 0, 22, 0, "line-finished"), "finished"),
        (line(0, 0, 22, 0, "line-plausible") + mark(11, 0, "circle", "mark-plausible"), "plausible"),
        (line(0, 0, 22, 0, "line-repaired") + mark(11, 0, "square", "mark-repaired"), "repaired"),
    ]
    about = f"{counts['repaired']} of {len(results)} tasks repaired for {said}"
    return svg(about, [*parts, legend(samples, x=LEFT + 60)])


def _price(result: TaskResult, unit: str) -> float:
    spent = result["spent"]
    if unit == "usd":
        return max(0.0, spent["cost_usd"] or 0.0)
    return spent["input_tokens"] + spent["output_tokens"] if unit == "tokens" else max(0.0, result["time_s"])
