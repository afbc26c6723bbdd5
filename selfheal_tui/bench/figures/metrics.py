"""Figures over finished tasks: shares with intervals, times, money, calibration. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from selfheal_tui.engine.moment.state import Spent

from .own_metrics import over_metrics
from .precision import EditFigures, precision
from .tries import over_tries

Z95 = 1.959963984540054
"""Of a two-sided interval of 95 %."""
BINS = 5


class Verdict(TypedDict):
    """What hidden tests said of a program."""

    passed: bool
    cases: int
    cases_passed: int
    trust: str
    """`verified` when judged from another process, else `provisional`."""
    not_verified: str | None
    error: str | None


class TaskResult(TypedDict):
    """One finished task: a line of results.jsonl."""

    id: str
    bug_type: str
    author: str
    category: NotRequired[str]
    """What the task is about; absent where the suite does not say."""
    attempt: NotRequired[int]
    """From 2 on, which try this is; the id ends with it (`name#2`). Absent for the first."""
    outcome: str
    """The session's: healed nothing_to_heal gave_up stalled budget stopped waiting.

    refused: it could not be started so.
    """
    reason: str
    plausible: bool
    """The tests that the loop saw pass."""
    repaired: bool
    """The hidden tests pass."""
    hidden: Verdict | None
    """None when the program is the one given, and fails: there was nothing to judge."""
    plus: Verdict | None
    """None without stronger tests, or where `hidden` did not pass."""
    has_plus: bool
    unchanged: bool
    """The program at the end is the one given."""
    confidence: float | None
    """Of the repair that was taken, 0..1; None when it has none."""
    iterations: int
    candidates: int
    """Repairs that a search judged."""
    time_s: float
    """Wall clock of the loop, without the verdict."""
    spent: Spent
    diff: str
    finished_at: str
    edit: NotRequired[EditFigures]
    """Of a repaired program, how large the change is and how much of it was needed."""
    metrics: NotRequired[dict[str, float]]
    """Name of an installed metric -> what it says; absent where none is installed."""
    not_measured: NotRequired[dict[str, str]]
    """Name of a metric that failed -> why."""
    session_id: NotRequired[str]
    """Present where the session was kept."""
    host: NotRequired[str]
    """The machine that ran it, where that was a worker."""


class Share(TypedDict):
    """A part of a whole with its 95 % interval."""

    count: int
    of: int
    rate: float | None
    """None of nothing."""
    low: float | None
    high: float | None


def wilson(count: int, of: int, z: float = Z95) -> tuple[float, float]:
    """Return the score interval of a share; `of` is above 0.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927) 209-212;
    recommended for small samples by Brown, Cai, DasGupta, Statistical Science 16 (2001) 101-133.
    """
    rate, width = count / of, z * z / of
    centre = (rate + width / 2) / (1 + width)
    half = z / (1 + width) * math.sqrt(rate * (1 - rate) / of + width / (4 * of))
    return max(0.0, centre - half), min(1.0, centre + half)


def share(count: int, of: int) -> Share:
    """Return a share with its interval."""
    if not of:
        return {"count": count, "of": 0, "rate": None, "low": None, "high": None}
    low, high = wilson(count, of)
    return {"count": count, "of": of, "rate": round(count / of, 6), "low": round(low, 6), "high": round(high, 6)}


def summarise(results: Sequence[TaskResult]) -> dict[str, Any]:
    """Return all figures over finished tasks, JSON-ready.

    pass@1 (Chen et al. 2021, arXiv:2107.03374) is the share repaired: each try of a task counts like a task.
    """
    plausible = [r for r in results if r["plausible"]]
    failing = [r for r in results if not (r["plausible"] and r["unchanged"])]
    with_plus = [r for r in results if r["has_plus"]]
    repaired = _count(results, _repaired)
    repaired_of_failing = _count(failing, _repaired)
    return {
        "tasks": len(results),
        "repaired": share(repaired, len(results)),
        "pass_at_1": round(repaired / len(results), 4) if results else None,
        "over_tries": over_tries(results),
        "plausible": share(len(plausible), len(results)),
        "plausible_but_wrong": share(_count(plausible, lambda r: not r["repaired"]), len(plausible)),
        "repaired_plus": share(_count(with_plus, _repaired_plus), len(with_plus)),
        "passed_as_given": len(results) - len(failing),
        "repaired_of_failing": share(repaired_of_failing, len(failing)),
        "not_verified": _count(results, lambda r: r["repaired"] and not _is_verified(r)),
        "outcomes": _counts(r["outcome"] for r in results),
        "by_category": _groups([r for r in results if r.get("category")], "category"),
        "by_bug_type": _groups(results, "bug_type"),
        "by_author": _groups(results, "author"),
        "time_s": _times([r["time_s"] for r in results]),
        "time_to_plausible_s": _times([r["time_s"] for r in plausible]),
        "candidates": sum(r["candidates"] for r in results),
        "spent": _spent(results, repaired),
        "calibration": calibration(results),
        "edits": precision(r["edit"] for r in results if "edit" in r),
        "metrics": over_metrics(results),
    }


def calibration(results: Iterable[TaskResult]) -> dict[str, Any] | None:
    """Compare the confidence of plausible repairs with how many are right; None when no repair has a confidence.

    `brier`: mean squared error (Brier 1950). `ece`: expected calibration error over equal bins (Naeini et al. 2015).
    """
    rated = [(r["confidence"], r["repaired"]) for r in results if r["plausible"] and r["confidence"] is not None]
    if not rated:
        return None
    rows, gap = [], 0.0
    for number in range(BINS):
        low, high = number / BINS, (number + 1) / BINS
        inside = [(c, right) for c, right in rated if low <= c < high or (high == 1.0 and c >= 1.0)]
        if not inside:
            continue
        mean = statistics.fmean(c for c, _ in inside)
        right = share(sum(ok for _, ok in inside), len(inside))
        gap += len(inside) / len(rated) * abs(mean - sum(ok for _, ok in inside) / len(inside))
        rows.append({"from": low, "to": high, "mean_confidence": round(mean, 4), "repaired": right})
    brier = statistics.fmean((c - ok) ** 2 for c, ok in rated)
    return {"repairs": len(rated), "brier": round(brier, 4), "ece": round(gap, 4), "bins": rows}


def _groups(results: Sequence[TaskResult], field: str) -> dict[str, dict[str, Any]]:
    names: Mapping[str, int] = _counts(str(r[field]) for r in results)  # type: ignore[literal-required]
    groups = {name: [r for r in results if r[field] == name] for name in names}  # type: ignore[literal-required]
    return {
        name: {
            "repaired": share(_count(rows, _repaired), len(rows)),
            "plausible": share(_count(rows, lambda r: r["plausible"]), len(rows)),
        }
        for name, rows in groups.items()
    }


def _counts(names: Iterable[str]) -> dict[str, int]:
    """Count equal names, most frequent first, then by name."""
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _times(seconds: Sequence[float]) -> dict[str, float | None]:
    if not seconds:
        return {"median": None, "p90": None, "max": None, "total": 0.0}
    ordered = sorted(seconds)
    return {
        "median": round(statistics.median(ordered), 3),
        "p90": round(ordered[math.ceil(0.9 * len(ordered)) - 1], 3),
        "max": round(ordered[-1], 3),
        "total": round(sum(ordered), 3),
    }


def _spent(results: Sequence[TaskResult], repaired: int) -> dict[str, Any]:
    """Sum up calls, tokens and cost; the cost is None once a single price is unknown."""
    bills = [r["spent"] for r in results]
    costs = [bill["cost_usd"] for bill in bills]
    prices = [cost for cost in costs if cost is not None]
    total = round(sum(prices), 6) if len(prices) == len(costs) else None
    tokens = [bill["input_tokens"] + bill["output_tokens"] for bill in bills]
    return {
        "calls": sum(bill["calls"] for bill in bills),
        "replayed_calls": sum(bill["replayed_calls"] for bill in bills),
        "input_tokens": sum(bill["input_tokens"] for bill in bills),
        "output_tokens": sum(bill["output_tokens"] for bill in bills),
        "tokens_median": statistics.median(tokens) if tokens else None,
        "cost_usd": total,
        "cost_usd_per_repair": round(total / repaired, 6) if total is not None and repaired else None,
        "unknown_prices": len(costs) - len(prices),
    }


def _count(results: Iterable[TaskResult], test: Callable[[TaskResult], bool]) -> int:
    return sum(1 for result in results if test(result))


def _repaired(result: TaskResult) -> bool:
    return result["repaired"]


def _repaired_plus(result: TaskResult) -> bool:
    return bool(result["repaired"] and result["plus"] and result["plus"]["passed"])


def _is_verified(result: TaskResult) -> bool:
    return bool(result["hidden"] and result["hidden"]["trust"] == "verified")
