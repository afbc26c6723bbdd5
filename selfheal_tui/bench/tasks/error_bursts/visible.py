from error_bursts import bursts


def test_three_errors_in_a_minute_are_a_burst():
    lines = ["10:00:00 ERROR a", "10:00:20 ERROR b", "10:00:20 INFO c", "10:00:40 ERROR d", "11:00:00 ERROR e"]
    assert bursts(lines, 3, 60) == [("10:00:00", "10:00:40", 3)]


def test_few_errors_are_no_burst():
    assert bursts(["10:00:00 ERROR a", "10:00:20 ERROR b"], 3, 60) == []
