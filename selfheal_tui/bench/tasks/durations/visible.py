import pytest
from durations import seconds, text


def test_reading():
    assert seconds("1h 30m") == 5400
    assert seconds("2d") == 172800


def test_writing():
    assert text(5400) == "1h 30m"
    assert text(0) == "0s"


def test_what_is_no_duration():
    with pytest.raises(ValueError):
        seconds("soon")
