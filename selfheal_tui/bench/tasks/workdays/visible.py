from datetime import date

from workdays import add_workdays, due, workdays_between

FRIDAY = date(2024, 3, 1)


def test_the_day_after_a_friday_is_a_monday():
    assert add_workdays(FRIDAY, 1) == date(2024, 3, 4)


def test_a_holiday_is_left_out():
    assert add_workdays(FRIDAY, 1, {date(2024, 3, 4)}) == date(2024, 3, 5)


def test_back_over_a_weekend():
    assert add_workdays(date(2024, 3, 4), -2) == date(2024, 2, 29)


def test_a_week_has_five():
    assert workdays_between(date(2024, 3, 4), date(2024, 3, 10)) == 5


def test_an_invoice_of_a_sunday():
    assert due(date(2024, 3, 3), 1) == date(2024, 3, 5)
