"""A task tried several times: what k tries would repair, and how much the tries differ. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..suites.records import BenchRecord


def each_try(records: Sequence[BenchRecord], tries: int) -> tuple[BenchRecord, ...]:
    """Return the records once for each try, all of the first try before the second: `name`, `name#2`, `name#3` ..."""
    again = (replace(r, id=f"{r.id}#{number}", attempt=number) for number in range(2, tries + 1) for r in records)
    return (*records, *again)


def pass_at_k(tries: int, right: int, k: int) -> float:
    """Return the chance that k of these tries, drawn at random, hold a right one; k is at most `tries`.

    The unbiased estimator of Chen et al. 2021 (arXiv:2107.03374): 1 - C(n - c, k) / C(n, k).
    """
    return 1.0 - math.comb(tries - right, k) / math.comb(tries, k)


def over_tries(results: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the figures over tries, JSON-ready; None where each task was tried once.

    `pass_at_k`: k -> mean over the tasks with so many finished tries. `by_try`: the share repaired in each try, over
    the tasks whose tries are all finished; `deviation`: its standard deviation. `changing`: how many tasks are repaired
    by some tries and not by others.
    """
    attempts: dict[str, dict[int, bool]] = {}
    for result in results:
        number = result.get("attempt", 1)
        attempts.setdefault(result["id"].removesuffix(f"#{number}"), {})[number] = result["repaired"]
    most = max((max(tried) for tried in attempts.values()), default=1)
    if most == 1:
        return None
    whole = [tried for tried in attempts.values() if len(tried) == most]
    shares = [statistics.fmean(tried[number] for tried in whole) for number in range(1, most + 1)] if whole else []
    return {
        "tries": most,
        "tasks": len(attempts),
        "tried_in_full": len(whole),
        "pass_at_k": {str(k): round(_mean(attempts, k), 4) for k in range(1, max(map(len, attempts.values())) + 1)},
        "by_try": [round(share, 4) for share in shares],
        "deviation": round(statistics.stdev(shares), 4) if shares else None,
        "changing": sum(len(set(tried.values())) > 1 for tried in attempts.values()),
    }


def _mean(attempts: Mapping[str, Mapping[int, bool]], k: int) -> float:
    tried = [list(one.values()) for one in attempts.values() if len(one) >= k]
    return statistics.fmean(pass_at_k(len(one), sum(one), k) for one in tried)
