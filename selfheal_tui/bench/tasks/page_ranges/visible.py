from page_ranges import from_text, to_text


def test_neighbours_become_a_range():
    assert to_text([1, 2, 3, 5]) == "1-3, 5"


def test_a_page_named_twice_is_written_once():
    assert to_text([4, 4, 5]) == "4-5"


def test_a_range_is_read_with_both_ends():
    assert from_text("2-4") == [2, 3, 4]


def test_a_single_page():
    assert from_text("7") == [7]
