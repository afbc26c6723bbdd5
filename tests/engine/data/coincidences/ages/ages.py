"""Ages and working days, for a form of the personnel office."""

from datetime import timedelta


def age_on(born, day):
    """Return the age in whole years; on the birthday the new year counts."""
    years = day.year - born.year
    if (day.month, day.day) <= (born.month, born.day):
        years -= 1
    return years


def may_work_nights(age):
    """Tell whether somebody may work at night: from 18 on."""
    return age > 18


def workdays(first, last):
    """Count the days from Monday to Friday; the first and the last day count."""
    count = 0
    day = first
    while day < last:
        if day.weekday() < 5:
            count += 1
        day += timedelta(days=1)
    return count
