import pytest
from error_bursts import bursts


def errors(*times):
    return [f"{time} ERROR x" for time in times]


def test_no_lines():
    assert bursts([], 1, 10) == []


def test_the_window_holds_its_ends():
    assert bursts(errors("00:00:00", "00:01:00"), 2, 60) == [("00:00:00", "00:01:00", 2)]
    assert bursts(errors("00:00:00", "00:01:01"), 2, 60) == []


def test_overlapping_windows_are_one_burst():
    lines = errors("10:00:00", "10:00:50", "10:01:40", "10:02:30")
    assert bursts(lines, 2, 60) == [("10:00:00", "10:02:30", 4)]


def test_two_bursts():
    lines = errors("10:00:00", "10:00:01", "12:00:00", "12:00:02")
    assert bursts(lines, 2, 5) == [("10:00:00", "10:00:01", 2), ("12:00:00", "12:00:02", 2)]


def test_windows_side_by_side_are_two_bursts():
    lines = errors("10:00:00", "10:00:05", "10:00:11", "10:00:16")
    assert bursts(lines, 2, 5) == [("10:00:00", "10:00:05", 2), ("10:00:11", "10:00:16", 2)]


def test_lines_in_any_order():
    assert bursts(errors("10:00:09", "10:00:00", "10:00:05"), 3, 9) == [("10:00:00", "10:00:09", 3)]


def test_equal_times_count_each():
    assert bursts(errors("23:59:59", "23:59:59"), 2, 0) == [("23:59:59", "23:59:59", 2)]


def test_one_error_may_be_a_burst():
    assert bursts(errors("01:02:03", "04:05:06"), 1, 0) == [("01:02:03", "01:02:03", 1), ("04:05:06", "04:05:06", 1)]


def test_other_lines_do_not_count():
    lines = ["10:00:00 WARNING ERROR", "  at line 3", "10:00:01 ERRORS many", "10:00:02 ERROR", "ERROR late", ""]
    assert bursts(lines, 1, 0) == [("10:00:02", "10:00:02", 1)]


def test_a_count_below_one_is_refused():
    with pytest.raises(ValueError):
        bursts([], 0, 5)
