import pytest
from durations import seconds, text


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("0s", 0),
        ("90s", 90),
        ("1m30s", 90),
        (" 1w ", 604800),
        ("1w 2d 3h 4m 5s", 788645),
        ("1w5s", 604805),
        ("-2h", -7200),
        ("- 1d 1s", -86401),
        ("007m", 420),
        ("100d", 8640000),
    ],
)
def test_reading(written, number):
    assert seconds(written) == number


@pytest.mark.parametrize(
    "written", ["", " ", "-", "5", "5 m", "1h 1h", "1m 1h", "1y", "1h,2m", "1.5h", "2h -3m", "h", "1h 5", "+1h", "1H"]
)
def test_what_is_no_duration(written):
    with pytest.raises(ValueError):
        seconds(written)


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (1, "1s"),
        (60, "1m"),
        (3599, "59m 59s"),
        (86400, "1d"),
        (90061, "1d 1h 1m 1s"),
        (604800, "1w"),
        (1209601, "2w 1s"),
        (-61, "-1m 1s"),
    ],
)
def test_writing(number, written):
    assert text(number) == written
    assert seconds(written) == number


@pytest.mark.parametrize("number", [1.0, "1", None, True])
def test_what_is_no_whole_number(number):
    with pytest.raises(TypeError):
        text(number)
