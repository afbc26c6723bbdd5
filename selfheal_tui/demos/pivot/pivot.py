"""Turn a list of sales into a table of regions by months."""

from __future__ import annotations

from typing import TypedDict


class Sale(TypedDict):
    """One sale."""

    region: str
    month: str
    amount: int


def pivot(sales: list[Sale]) -> dict[str, dict[str, int]]:
    """Return region -> month -> amount sold."""
    table: dict[str, dict[str, int]] = {}
    for sale in sales:
        row = table.setdefault(sale["region"], {})
        row.setdefault(sale["month"], 0)
        row[sale["month"]] = sale["amount"]
    return table


def region_totals(sales: list[Sale]) -> dict[str, int]:
    """Return what each region sold over all months."""
    return {region: sum(row.values()) for region, row in pivot(sales).items()}


def best_region(sales: list[Sale]) -> str | None:
    """Return the region that sold most, the first by name among equals; None without sales."""
    totals = region_totals(sales)
    return min(totals, key=lambda region: (-totals[region], region), default=None)
