"""Metrics of your own: functions of enabled plug-ins, asked once for each finished task.

A metric gets the task's result and the program (path -> text) and returns a number, or None where it has nothing to
say. It judges nothing: what counts as repaired is said by the hidden tests alone.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from selfheal_tui.extensions import load_all
from selfheal_tui.extensions.loading import function_of
from selfheal_tui.text import one_line, plural

if TYPE_CHECKING:
    from .metrics import TaskResult

Metric = Callable[["TaskResult", Mapping[str, str]], Any]


def load_metrics() -> dict[str, Metric]:
    """Return name -> metric; one that does not load is left out and told of."""
    return load_all("metric", function_of)


def measure(metrics: Mapping[str, Metric], result: TaskResult, program: Mapping[str, str]) -> None:
    """Put what each metric says into a result; one that fails says why, and the task counts all the same."""
    for name, metric in metrics.items():
        try:
            value = metric(result, dict(program))
        except Exception as error:
            # A function of the user's may raise anything; a paid task is not lost for it.
            result.setdefault("not_measured", {})[name] = one_line(f"{type(error).__name__}: {error}")
            continue
        if value is None:
            continue
        if not isinstance(value, int | float) or not math.isfinite(value):
            result.setdefault("not_measured", {})[name] = f"It returned {one_line(repr(value), 60)}, not a number."
            continue
        result.setdefault("metrics", {})[name] = float(value)


def over_metrics(results: Sequence[TaskResult]) -> dict[str, dict[str, Any]]:
    """Return name -> over how many tasks it was measured, mean, least and most; `failed` and the first `why`."""
    figures: dict[str, dict[str, Any]] = {}
    names = {name for one in results for name in (*one.get("metrics", {}), *one.get("not_measured", {}))}
    for name in sorted(names):
        values = [one["metrics"][name] for one in results if name in one.get("metrics", {})]
        failures = [one["not_measured"][name] for one in results if name in one.get("not_measured", {})]
        figures[name] = {
            "tasks": len(values),
            "mean": round(statistics.fmean(values), 6) if values else None,
            "low": min(values, default=None),
            "high": max(values, default=None),
            "failed": len(failures),
            "why": failures[0] if failures else "",
        }
    return figures


def metric_lines(figures: Mapping[str, Mapping[str, Any]], cell: Callable[[str], str]) -> list[str]:
    """Return the figures as lines of Markdown; none without a metric. `cell` makes a text safe for a table."""
    if not figures:
        return []
    lines = ["| metric | tasks | mean | least | most |", "|---|---|---|---|---|"]
    for name, one in figures.items():
        numbers = " | ".join("-" if one[key] is None else f"{one[key]:g}" for key in ("mean", "low", "high"))
        lines.append(f"| {cell(name)} | {one['tasks']} | {numbers} |")
    failed = [
        f"- {cell(name)} failed for {plural(one['failed'], 'task')}: {cell(one['why'])}"
        for name, one in figures.items()
        if one["failed"]
    ]
    return [*lines, "", *failed, *([""] if failed else [])]
