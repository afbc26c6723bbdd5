"""Working days: no weekends, no holidays."""

from datetime import timedelta

DAY = timedelta(days=1)


def is_workday(day, holidays=()):
    """Tell whether people work on a day."""
    return day.weekday() >= 5 or day in holidays


def next_workday(day, holidays=()):
    """Return the day itself, or the first working day after it."""
    while not is_workday(day, holidays):
        day += DAY
    return day


def add_workdays(day, count, holidays=()):
    """Return the day that is so many working days on, or back."""
    step = DAY if count > 0 else -DAY
    left = abs(count)
    while left:
        day += step
        if is_workday(day, holidays):
            left -= 1
    return next_workday(day, holidays)


def workdays_between(first, last, holidays=()):
    """Return how many working days there are, both ends included."""
    days = (last - first).days + 1
    return sum(is_workday(first + number * DAY, holidays) for number in range(days))


def due(day, count, holidays=()):
    """Return when an invoice of that day has to be paid."""
    return add_workdays(next_workday(day, holidays), count, holidays)
