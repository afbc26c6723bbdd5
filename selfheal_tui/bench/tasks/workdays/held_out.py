from datetime import date

import pytest
from workdays import add_workdays, due, workdays_between

MAY_DAY = {date(2024, 5, 1)}


@pytest.mark.parametrize(
    ("day", "count", "result"),
    [
        (date(2024, 4, 29), 0, date(2024, 4, 29)),
        (date(2024, 4, 27), 0, date(2024, 4, 29)),
        (date(2024, 5, 1), 0, date(2024, 5, 2)),
        (date(2024, 4, 30), 1, date(2024, 5, 2)),
        (date(2024, 4, 26), 3, date(2024, 5, 2)),
        (date(2024, 4, 28), 1, date(2024, 4, 29)),
        (date(2024, 5, 2), -1, date(2024, 4, 30)),
        (date(2024, 5, 6), -4, date(2024, 4, 29)),
        (date(2024, 5, 5), -1, date(2024, 5, 3)),
        (date(2024, 12, 30), 5, date(2025, 1, 6)),
        (date(2024, 2, 28), 2, date(2024, 3, 1)),
    ],
)
def test_going_on_and_back(day, count, result):
    assert add_workdays(day, count, MAY_DAY) == result


@pytest.mark.parametrize(
    ("first", "last", "count"),
    [
        (date(2024, 5, 4), date(2024, 5, 5), 0),
        (date(2024, 5, 3), date(2024, 5, 3), 1),
        (date(2024, 4, 29), date(2024, 5, 3), 4),
        (date(2024, 4, 1), date(2024, 4, 30), 22),
        (date(2024, 5, 3), date(2024, 5, 2), 0),
        (date(2024, 5, 3), date(2024, 4, 2), 0),
    ],
)
def test_counting(first, last, count):
    assert workdays_between(first, last, MAY_DAY) == count


def test_invoices():
    assert due(date(2024, 4, 27), 0, MAY_DAY) == date(2024, 4, 29)
    assert due(date(2024, 4, 27), 2, MAY_DAY) == date(2024, 5, 2)
    assert due(date(2024, 4, 30), 1, MAY_DAY) == date(2024, 5, 2)
