"""Months are not all equally long."""

import calendar
from datetime import date


def add_months(day, months):
    """Return the same day of another month, or its last one."""
    years, month = divmod(day.month - 1 + months, 12)
    year, month = day.year + years, month + 1
    last = calendar.monthrange(year, month)[1]
    return date(year, month, min(day.day, last))


def payments(start, months, until):
    """Return the days on which a subscription is paid."""
    if months < 1:
        raise ValueError("a subscription lasts at least a month")
    days = []
    number = 0
    while add_months(start, number * months) <= until:
        days.append(add_months(start, number * months))
        number += 1
    return days


def age(born, today):
    """Return the age in full years."""
    had_birthday = (today.month, today.day) >= (born.month, born.day)
    return today.year - born.year - (not had_birthday)
