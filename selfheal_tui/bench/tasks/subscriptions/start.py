"""Months are not all equally long."""

import calendar
from datetime import date


def add_months(day, months):
    """Return the same day of another month, or its last one."""
    years, month = divmod(day.month + months, 12)
    year, month = day.year + years, month or 12
    last = calendar.monthrange(year, month)[1]
    return date(year, month, min(day.day, last))


def payments(start, months, until):
    """Return the days on which a subscription is paid."""
    if months < 1:
        raise ValueError("a subscription lasts at least a month")
    days = []
    day = start
    while day <= until:
        days.append(day)
        day = add_months(day, months)
    return days


def age(born, today):
    """Return the age in full years."""
    had_birthday = (today.month, today.day) >= (born.month, born.day)
    return today.year - born.year - (not had_birthday)
