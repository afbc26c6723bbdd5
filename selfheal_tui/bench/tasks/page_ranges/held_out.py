import pytest
from page_ranges import from_text, to_text


@pytest.mark.parametrize(
    ("pages", "text"),
    [
        ([], ""),
        ([9], "9"),
        ([1, 3, 5], "1, 3, 5"),
        ([3, 2, 1], "1-3"),
        ([10, 1, 2, 11, 12, 2], "1-2, 10-12"),
        ([7, 7, 7], "7"),
        (range(1, 101), "1-100"),
    ],
)
def test_writing(pages, text):
    assert to_text(pages) == text


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("", []),
        ("1-3, 5", [1, 2, 3, 5]),
        (" 8 - 9 ,1", [1, 8, 9]),
        ("1-4,3-6", [1, 2, 3, 4, 5, 6]),
        ("5-5", [5]),
        ("2,,3,", [2, 3]),
    ],
)
def test_reading(text, pages):
    assert from_text(text) == pages


def test_reading_what_was_written():
    pages = [1, 2, 3, 7, 9, 10, 40]
    assert from_text(to_text(pages)) == pages


def test_a_range_backwards_is_refused():
    with pytest.raises(ValueError):
        from_text("5-3")
