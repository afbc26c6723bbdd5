from datetime import date

from ages import age_on, may_work_nights, workdays


def test_before_the_birthday():
    assert age_on(date(2000, 6, 15), date(2020, 6, 14)) == 19


def test_on_the_birthday():
    assert age_on(date(2000, 6, 15), date(2020, 6, 15)) == 20


def test_after_the_birthday():
    assert age_on(date(2000, 6, 15), date(2020, 9, 1)) == 20


def test_children_sleep_at_night():
    assert not may_work_nights(17)


def test_nights_from_eighteen_on():
    assert may_work_nights(18)


def test_nights_later():
    assert may_work_nights(30)


def test_a_week():
    assert workdays(date(2024, 1, 1), date(2024, 1, 7)) == 5


def test_one_day():
    assert workdays(date(2024, 1, 3), date(2024, 1, 3)) == 1


def test_until_friday():
    assert workdays(date(2024, 1, 1), date(2024, 1, 5)) == 5
