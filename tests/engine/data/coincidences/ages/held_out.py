from datetime import date

from ages import age_on, may_work_nights, workdays


def test_age_of_a_day():
    assert age_on(date(2020, 2, 28), date(2020, 2, 29)) == 0


def test_first_birthday():
    assert age_on(date(1999, 12, 31), date(2000, 12, 31)) == 1


def test_a_day_before_it():
    assert age_on(date(1999, 12, 31), date(2000, 12, 30)) == 0


def test_same_day_of_another_month():
    assert age_on(date(2000, 6, 15), date(2020, 5, 15)) == 19
    assert age_on(date(2000, 6, 15), date(2020, 7, 1)) == 20


def test_nights():
    assert [may_work_nights(age) for age in (0, 16, 17, 18, 19, 20)] == [False, False, False, True, True, True]


def test_workdays():
    assert workdays(date(2024, 1, 6), date(2024, 1, 7)) == 0
    assert workdays(date(2024, 1, 5), date(2024, 1, 8)) == 2
    assert workdays(date(2024, 1, 1), date(2024, 1, 31)) == 23
    assert workdays(date(2024, 1, 4), date(2024, 1, 3)) == 0
