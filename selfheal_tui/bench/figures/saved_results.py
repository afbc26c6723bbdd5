"""Results as a file holds them, made whole: an older run lacks fields, and a foreign one may hold anything. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from selfheal_tui.engine.moment.state import Spent, no_spend

from ..suites.records import UNKNOWN
from .metrics import TaskResult, Verdict

_MOST_ID = _MOST_WORD = 1000
_MOST_REASON, _MOST_DIFF = 20_000, 200_000
"""Characters of foreign text that are kept: more is never shown."""
_MOST_AMOUNT = 1e15
"""More than any run has used; a sum of such numbers is still one that can be drawn."""


def whole_result(row: Any) -> TaskResult | None:
    """Return a line of results.jsonl with every field in its type; None when it names no task.

    What is missing or of another type is taken as nothing: no verdict, no time, no price.
    """
    if not isinstance(row, Mapping) or not isinstance(row.get("id"), str) or not row["id"].strip():
        return None
    result: TaskResult = {
        "id": row["id"][:_MOST_ID],
        "bug_type": _text(row, "bug_type") or UNKNOWN,
        "author": _text(row, "author") or UNKNOWN,
        "outcome": _text(row, "outcome") or "waiting",
        "reason": _text(row, "reason", _MOST_REASON),
        "plausible": row.get("plausible") is True,
        "repaired": row.get("repaired") is True,
        "hidden": _verdict(row.get("hidden")),
        "plus": _verdict(row.get("plus")),
        "has_plus": row.get("has_plus") is True,
        "unchanged": row.get("unchanged") is True,
        "confidence": _confidence(row.get("confidence")),
        "iterations": _count(row.get("iterations")),
        "candidates": _count(row.get("candidates")),
        "time_s": _amount(row.get("time_s")),
        "spent": _spent(row.get("spent")),
        "diff": _text(row, "diff", _MOST_DIFF),
        "finished_at": _text(row, "finished_at"),
    }
    if category := _text(row, "category"):
        result["category"] = category
    if session_id := _text(row, "session_id"):
        result["session_id"] = session_id
    if (attempt := _count(row.get("attempt"))) > 1 and row["id"].endswith(f"#{attempt}") and attempt <= _MOST_ID:
        result["attempt"] = attempt
    return result


def _text(row: Mapping[str, Any], name: str, most: int = _MOST_WORD) -> str:
    value = row.get(name)
    return value[:most] if isinstance(value, str) else ""


def _amount(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    # Compared as it is: a whole number may be too large to become a float.
    if not 0 <= value <= _MOST_AMOUNT:
        return 0.0
    return float(value) if math.isfinite(value) else 0.0


def _count(value: Any) -> int:
    return int(_amount(value)) if isinstance(value, int) else 0


def _confidence(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


def _spent(value: Any) -> Spent:
    spent = no_spend()
    if not isinstance(value, Mapping):
        return spent
    cost = value.get("cost_usd", 0.0)
    spent["calls"] = _count(value.get("calls"))
    spent["replayed_calls"] = _count(value.get("replayed_calls"))
    spent["input_tokens"] = _count(value.get("input_tokens"))
    spent["output_tokens"] = _count(value.get("output_tokens"))
    spent["cost_usd"] = None if cost is None else _amount(cost)
    spent["time_s"] = _amount(value.get("time_s"))
    return spent


def _verdict(value: Any) -> Verdict | None:
    if not isinstance(value, Mapping):
        return None
    trust, why, error = value.get("trust"), value.get("not_verified"), value.get("error")
    return {
        "passed": value.get("passed") is True,
        "cases": _count(value.get("cases")),
        "cases_passed": _count(value.get("cases_passed")),
        "trust": trust if isinstance(trust, str) else "provisional",
        "not_verified": why if isinstance(why, str) else None,
        "error": error if isinstance(error, str) else None,
    }
