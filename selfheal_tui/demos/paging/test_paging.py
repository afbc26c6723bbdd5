import pytest
from paging import page_count, page_items, page_links

LETTERS = list("abcdefg")


def test_an_empty_list_has_one_page():
    assert page_count(0, 10) == 1


def test_the_last_page_may_be_short():
    assert page_count(7, 3) == 3
    assert page_count(1, 3) == 1


def test_full_pages_leave_no_empty_one():
    assert page_count(6, 3) == 2
    assert page_count(10, 10) == 1


def test_a_page_without_room_is_refused():
    with pytest.raises(ValueError):
        page_count(5, 0)


def test_first_page():
    assert page_items(LETTERS, 1, 3) == ["a", "b", "c"]


def test_middle_page():
    assert page_items(LETTERS, 2, 3) == ["d", "e", "f"]


def test_last_page_is_short():
    assert page_items(LETTERS, 3, 3) == ["g"]


def test_a_page_beyond_the_end_is_empty():
    assert page_items(LETTERS, 9, 3) == []


def test_links():
    assert page_links(2, 3) == "1 [2] 3"
