from logscan import count_levels, errors, parse

LOG = """\
2026-03-01 12:00:01 INFO started
2026-03-01 12:00:05 ERROR disk is full
Traceback (most recent call last):
2026-03-01 12:00:07 WARNING retrying
2026-03-01 12:00:09 ERROR gave up
"""


def test_fields_of_an_entry():
    entry = parse("2026-03-01 12:00:01 INFO started")
    assert (entry.day, entry.time, entry.level) == ("2026-03-01", "12:00:01", "INFO")


def test_message_of_one_word():
    assert parse("2026-03-01 12:00:01 INFO started").message == "started"


def test_message_keeps_all_its_words():
    assert parse("2026-03-01 12:00:05 ERROR disk is full").message == "disk is full"


def test_other_lines_are_no_entries():
    assert parse("Traceback (most recent call last):") is None
    assert parse("") is None


def test_unknown_level_is_no_entry():
    assert parse("2026-03-01 12:00:05 NOISE hello") is None


def test_levels_are_counted():
    assert count_levels(LOG) == {"INFO": 1, "ERROR": 2, "WARNING": 1}


def test_errors_with_their_time():
    assert errors(LOG) == ["12:00:05 disk is full", "12:00:09 gave up"]
