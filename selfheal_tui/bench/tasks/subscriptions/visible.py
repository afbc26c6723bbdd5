from datetime import date

from subscriptions import add_months, age, payments


def test_the_same_day_of_the_next_month():
    assert add_months(date(2023, 3, 15), 1) == date(2023, 4, 15)


def test_over_the_end_of_the_year():
    assert add_months(date(2023, 10, 5), 2) == date(2023, 12, 5)
    assert add_months(date(2023, 10, 5), 3) == date(2024, 1, 5)


def test_a_subscription_of_the_31st():
    assert payments(date(2023, 1, 31), 1, date(2023, 4, 1)) == [date(2023, 1, 31), date(2023, 2, 28), date(2023, 3, 31)]


def test_age():
    assert age(date(2000, 6, 1), date(2020, 5, 31)) == 19
