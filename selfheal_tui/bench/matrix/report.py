"""The table of a matrix: each cell's repairs and cost, and how it differs from the first. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.llm.base import Usage
from selfheal_tui.text import plural

from ..compare.comparison import INTERVAL, SEED, TEST, build_comparison
from ..figures.cells import cell, counted, dollars, p_value
from ..figures.metrics import summarise
from ..saved.finished import BenchRun


def build_matrix(
    header: Mapping[str, Any],
    runs: Mapping[str, BenchRun],
    selected: Mapping[str, int],
    paid: Mapping[str, tuple[int, Usage]],
    failed: Mapping[str, str],
) -> dict[str, Any]:
    """Return a matrix as JSON-ready data.

    `runs` maps cells to what they have finished, `selected` to how many tasks they try, `paid` to the calls they paid,
    `failed` to why they could not go on. `spent` of a cell is what it would cost alone, `paid` what it did cost.
    """
    cells = [
        {
            "name": name,
            "complete": name not in failed and len(run.results) == selected.get(name),
            "failed": failed.get(name),
            "models": dict(run.config["models"]),
            **_figures(run),
            "paid": _bill(*paid.get(name, (0, Usage(cost_usd=0.0)))),
        }
        for name, run in runs.items()
    ]
    if runs:
        first = next(iter(runs))
        for row in cells[1:]:
            row["against_first"] = _against(runs[first], runs[str(row["name"])])
        _correct([row["against_first"] for row in cells[1:] if row["against_first"]])
    alone = [row["spent"]["cost_usd"] for row in cells]
    bills = [bill for _, bill in paid.values()]
    prices = [bill.cost_usd for bill in bills]
    return {
        **header,
        "complete": len(cells) == len(header["cells"]) and all(row["complete"] for row in cells),
        "cells": cells,
        "calls": {"alone": sum(row["spent"]["calls"] for row in cells), "paid": sum(n for n, _ in paid.values())},
        "cost_usd": {
            "alone": round(sum(alone), 6) if None not in alone else None,
            "paid": round(sum(p for p in prices if p is not None), 6) if None not in prices else None,
        },
    }


def _figures(run: BenchRun) -> dict[str, Any]:
    figures = summarise(run.results)
    return {
        "tasks": figures["tasks"],
        "repaired": figures["repaired"],
        "plausible": figures["plausible"],
        "spent": {**figures["spent"], "time_s": figures["time_s"]["total"]},
    }


def _bill(calls: int, usage: Usage) -> dict[str, Any]:
    return {
        "calls": calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }


def _against(first: BenchRun, run: BenchRun) -> dict[str, Any] | None:
    """Return how a cell compares with the first; None while they have no task in common."""
    try:
        found = build_comparison(first, run, SEED)
    except InputError:
        return None
    return {name: found[name] for name in ("tasks", "repaired", "turned", "test", "difference", "left_out")}


def _correct(comparisons: Sequence[dict[str, Any]]) -> None:
    """Add to each p-value the one that holds for all comparisons together (Holm, Scand. J. Statist. 6 (1979) 65-70)."""
    largest = 0.0
    ordered = sorted(comparisons, key=lambda one: float(one["test"]["p"]))
    for number, one in enumerate(ordered):
        largest = max(largest, min(1.0, (len(ordered) - number) * one["test"]["p"]))
        one["test"] = {**one["test"], "p_holm": largest}


def matrix_markdown(matrix: Mapping[str, Any]) -> str:
    """Return the table."""
    cells = matrix["cells"]
    lines = [f"# {cell(matrix['suite'])}: {plural(len(matrix['cells']), 'cell')}", ""]
    if not matrix["complete"]:
        lines += [f"**Not finished**: {sum(row['complete'] for row in cells)} of {matrix['planned']} cells.", ""]
    lines += [
        "| cell | repaired (95 % interval) | calls | cost alone | paid here | time "
        "| against the first | p | p (Holm) |",
        "|---|---|---|---|---|---|---|---|---|",
        *map(_row, cells),
        "",
        *_remarks(matrix),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _row(row: Mapping[str, Any]) -> str:
    against, spent = row.get("against_first"), row["spent"]
    parts = [
        cell(row["name"]) + ("" if row["complete"] else " (not finished)"),
        counted(row["repaired"]),
        str(spent["calls"]),
        dollars(spent["cost_usd"]),
        dollars(row["paid"]["cost_usd"]),
        f"{spent['time_s']:,.1f} s",
        *(_compared(against) if against else ("-", "-", "-")),
    ]
    return f"| {' | '.join(parts)} |"


def _compared(against: Mapping[str, Any]) -> tuple[str, str, str]:
    difference, test, repaired = against["difference"], against["test"], against["repaired"]
    low, high = 100 * difference["low"], 100 * difference["high"]
    words = f"{100 * difference['mean']:+.1f} points ({low:+.1f} to {high:+.1f}); "
    turned = f"+{repaired['only_b']} -{repaired['only_a']} of {plural(against['tasks'], 'task')}"
    return words + turned, p_value(test["p"]), p_value(test["p_holm"])


def _remarks(matrix: Mapping[str, Any]) -> list[str]:
    calls, cost = matrix["calls"], matrix["cost_usd"]
    paid = [
        f"- {plural(calls['paid'], 'call')} paid ({dollars(cost['paid'])}); each cell alone would have made "
        f"{calls['alone']} in all ({dollars(cost['alone'])}). A request that an earlier cell has made is not made "
        "again: its reply counts as if it were paid, and takes no time."
    ]
    against = [
        f"- Against the first cell, over the tasks that both tried: difference with interval ({INTERVAL}), tasks that "
        f"this cell alone repaired (+) and that the first alone repaired (-), p of {TEST}. Holm's p allows for the "
        "number of cells.",
    ]
    lines = [*(paid if calls["alone"] or calls["paid"] else []), *(against if len(matrix["cells"]) > 1 else [])]
    lines += [
        f"- {cell(row['name'])} could not go on: {cell(row['failed'])}" for row in matrix["cells"] if row["failed"]
    ]
    return lines
