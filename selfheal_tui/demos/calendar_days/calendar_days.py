"""Lengths of months and years in the Gregorian calendar."""

from __future__ import annotations

LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_leap(year: int) -> bool:
    """Tell whether a year has 366 days."""
    return year % 4 == 0 and (year % 100 != 0 and year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    """Return the length of a month, 1 to 12."""
    if not 1 <= month <= 12:
        raise ValueError(f"there is no month {month}")
    if month == 2 and is_leap(year):
        return 29
    return LENGTHS[month - 1]


def day_of_year(year: int, month: int, day: int) -> int:
    """Return the number of a day within its year, 1 to 366."""
    return sum(days_in_month(year, before) for before in range(1, month)) + day
