from datetime import date

import pytest
from subscriptions import add_months, age, payments


@pytest.mark.parametrize(
    ("day", "months", "result"),
    [
        (date(2024, 1, 31), 1, date(2024, 2, 29)),
        (date(2023, 1, 29), 1, date(2023, 2, 28)),
        (date(2023, 12, 31), 1, date(2024, 1, 31)),
        (date(2023, 11, 30), 1, date(2023, 12, 30)),
        (date(2023, 5, 31), 0, date(2023, 5, 31)),
        (date(2023, 3, 31), -1, date(2023, 2, 28)),
        (date(2023, 1, 10), -1, date(2022, 12, 10)),
        (date(2023, 1, 10), -13, date(2021, 12, 10)),
        (date(2023, 12, 1), 12, date(2024, 12, 1)),
        (date(2024, 2, 29), 12, date(2025, 2, 28)),
        (date(2023, 6, 15), 30, date(2025, 12, 15)),
    ],
)
def test_months(day, months, result):
    assert add_months(day, months) == result


def test_payments_every_quarter():
    days = payments(date(2023, 8, 31), 3, date(2024, 8, 31))
    assert [(day.month, day.day) for day in days] == [(8, 31), (11, 30), (2, 29), (5, 31), (8, 31)]


def test_the_last_day_counts():
    assert payments(date(2023, 1, 5), 12, date(2024, 1, 5)) == [date(2023, 1, 5), date(2024, 1, 5)]


def test_nothing_is_paid_before_the_start():
    assert payments(date(2023, 1, 5), 1, date(2023, 1, 4)) == []


def test_a_whole_year():
    days = payments(date(2022, 12, 30), 1, date(2023, 12, 29))
    assert [day.day for day in days] == [30, 30, 28, *[30] * 9]


def test_less_than_a_month():
    with pytest.raises(ValueError):
        payments(date(2023, 1, 5), 0, date(2024, 1, 5))


@pytest.mark.parametrize(
    ("born", "today", "years"),
    [
        (date(2000, 6, 1), date(2020, 6, 1), 20),
        (date(2000, 6, 15), date(2020, 7, 1), 20),
        (date(2000, 6, 15), date(2020, 5, 30), 19),
        (date(2004, 2, 29), date(2023, 2, 28), 18),
        (date(2004, 2, 29), date(2023, 3, 1), 19),
        (date(2004, 2, 29), date(2024, 2, 29), 20),
        (date(2000, 12, 31), date(2001, 1, 1), 0),
    ],
)
def test_ages(born, today, years):
    assert age(born, today) == years
