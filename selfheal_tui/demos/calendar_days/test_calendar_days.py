import pytest
from calendar_days import day_of_year, days_in_month, is_leap


@pytest.mark.parametrize("year", [1900, 2023, 2100])
def test_common_years(year):
    assert not is_leap(year)


@pytest.mark.parametrize("year", [1996, 2000, 2024])
def test_leap_years(year):
    assert is_leap(year)


def test_months_do_not_all_have_the_same_length():
    assert [days_in_month(2023, month) for month in (1, 2, 4, 12)] == [31, 28, 30, 31]


def test_february_of_a_leap_year():
    assert days_in_month(2024, 2) == 29


def test_there_are_twelve_months():
    with pytest.raises(ValueError):
        days_in_month(2023, 13)


def test_last_day_of_a_year():
    assert day_of_year(2023, 12, 31) == 365
    assert day_of_year(2024, 12, 31) == 366
