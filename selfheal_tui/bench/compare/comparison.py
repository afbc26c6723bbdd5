"""Two runs over the same data, task by task: who repaired what, how sure that is, and what it cost. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from selfheal_tui.errors import InputError

from ..figures.metrics import TaskResult, share
from ..saved.finished import BenchRun
from .paired import bootstrap, exact_p

SEED = 0
_SAME = {"data_sha256": "other data", "tests_given": "other tests given to the loop"}
"""Without these two in common, figures are of different things."""
_COMPARED = ("models", "policy", "limits", "suite_limits", "prompts", "versions")
TEST = "McNemar's exact test, two-sided"
INTERVAL = "paired bootstrap over tasks, percentile interval, 95 %"


def build_comparison(a: BenchRun, b: BenchRun, seed: int = SEED) -> dict[str, Any]:
    """Return the comparison, JSON-ready; differences are B minus A.

    Tasks are the unit: the tries of a task are averaged. Where all are tried once, `only_a` and `only_b` are the tasks
    that one run repaired and the other did not; else those that one repaired in a larger share of its tries.

    Raises: InputError when the runs are not over the same data and tests, or have no task in common.
    """
    for name, words in _SAME.items():
        if a.config[name] != b.config[name]:
            raise InputError(
                f"{b.folder} cannot be compared with {a.folder}: it has {words}"
                f" ({_short(b.config[name])}, not {_short(a.config[name])}).",
                "Compare runs over the same data with the same --tests.",
            )
    tried_a, tried_b = a.tries(), b.tries()
    both = [task for task in tried_a if task in tried_b]
    if not both:
        raise InputError(
            f"{a.folder} and {b.folder} have no finished task in common.", "Run both with the same --ids or --limit."
        )
    rates = {task: (_rate(tried_a[task]), _rate(tried_b[task])) for task in both}
    only_a = [task for task, (x, y) in rates.items() if x > y]
    only_b = [task for task, (x, y) in rates.items() if y > x]
    return {
        "a": _side(a, (tried_a[task] for task in both)),
        "b": _side(b, (tried_b[task] for task in both)),
        "tasks": len(both),
        "tried_once": all(len(tried[task]) == 1 for task in both for tried in (tried_a, tried_b)),
        "left_out": {
            "only_in_a": [task for task in tried_a if task not in tried_b],
            "only_in_b": [task for task in tried_b if task not in tried_a],
        },
        "repaired": {
            "both": sum(x == y > 0 for x, y in rates.values()),
            "only_a": len(only_a),
            "only_b": len(only_b),
            "neither": sum(x == y == 0 for x, y in rates.values()),
        },
        "turned": {"only_a": only_a, "only_b": only_b},
        "test": {"name": TEST, "p": exact_p(len(only_a), len(only_b))},
        "difference": {"method": INTERVAL, **bootstrap([y - x for x, y in rates.values()], seed)},
        "differs": _differs(a, b),
        "by_task": {task: {"a": round(x, 6), "b": round(y, 6)} for task, (x, y) in rates.items()},
    }


def _rate(tries: Sequence[TaskResult]) -> float:
    return statistics.fmean(result["repaired"] for result in tries)


def _side(run: BenchRun, tasks: Iterable[Sequence[TaskResult]]) -> dict[str, Any]:
    """Return what one run did over the common tasks; shares and costs count every try."""
    results = [result for tries in tasks for result in tries]
    repaired = sum(result["repaired"] for result in results)
    prices = [result["spent"]["cost_usd"] for result in results]
    known = [price for price in prices if price is not None]
    totals: dict[str, float | None] = {
        "cost_usd": round(sum(known), 6) if len(known) == len(prices) else None,
        "calls": sum(result["spent"]["calls"] for result in results),
        "tokens": sum(result["spent"]["input_tokens"] + result["spent"]["output_tokens"] for result in results),
        "time_s": round(sum(result["time_s"] for result in results), 3),
    }
    return {
        "folder": str(run.folder),
        "tries": len(results),
        "repaired": share(repaired, len(results)),
        "plausible": share(sum(result["plausible"] for result in results), len(results)),
        "spent": totals,
        "per_repair": {
            name: round(total / repaired, 6) if repaired and total is not None else None
            for name, total in totals.items()
        },
    }


def _differs(a: BenchRun, b: BenchRun) -> dict[str, dict[str, Any]]:
    """Return what else is not the same, by the name of its field; of mappings only the entries that differ."""
    found: dict[str, dict[str, Any]] = {}
    sides = [(name, a.config.get(name), b.config.get(name)) for name in _COMPARED]
    sides += [(name, a.chosen.get(name), b.chosen.get(name)) for name in ("jobs", "tries")]
    sides.append(("machine", a.machine, b.machine))
    for name, one, other in sides:
        if one == other or None in (one, other):
            continue
        if not (isinstance(one, Mapping) and isinstance(other, Mapping)):
            found[name] = {"a": one, "b": other}
            continue
        for part in dict.fromkeys((*one, *other)):
            if one.get(part) != other.get(part):
                found[f"{name}.{part}"] = {"a": one.get(part), "b": other.get(part)}
    return found


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 16 else text[:12] + "…"
