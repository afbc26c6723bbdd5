import pytest
from history import History


def filled(size, *entries):
    history = History(size)
    for entry in entries:
        history.add(entry)
    return history


def test_an_empty_history():
    history = History(3)
    assert (len(history), history.last(2), history.back(), history.forward()) == (0, [], "", "")


def test_a_full_history_has_its_size():
    assert [len(filled(3, *"abcdef"[:n])) for n in range(6)] == [0, 1, 2, 3, 3, 3]


@pytest.mark.parametrize(("n", "entries"), [(0, []), (1, ["e"]), (2, ["d", "e"]), (3, ["c", "d", "e"]), (9, ["c", "d", "e"])])
def test_the_last_entries(n, entries):
    assert filled(3, *"abcde").last(n) == entries


def test_a_history_of_one():
    history = filled(1, "a", "b")
    assert (history.back(), history.back(), history.forward(), history.back()) == ("b", "b", "", "b")


def test_a_repeat_is_not_added():
    assert filled(3, "a", "a", "b", "b", "a").last(9) == ["a", "b", "a"]


def test_back_stays_at_the_oldest():
    history = filled(2, "a", "b", "c")
    assert [history.back() for _ in range(4)] == ["c", "b", "b", "b"]
    assert history.forward() == "c"


def test_forward_at_the_end_gives_an_empty_text():
    history = filled(3, "a", "b")
    assert [history.forward(), history.forward(), history.back()] == ["", "", "b"]


def test_adding_ends_the_stepping():
    history = filled(3, "a", "b")
    history.back()
    history.back()
    history.add("c")
    assert (history.forward(), history.back(), history.back()) == ("", "c", "b")


def test_adding_a_repeat_ends_the_stepping_too():
    history = filled(3, "a", "b")
    history.back()
    history.back()
    history.add("b")
    assert history.back() == "b"


def test_what_was_returned_is_a_copy():
    history = filled(3, "a", "b")
    history.last(2).append("x")
    history.last(9).clear()
    assert history.last(9) == ["a", "b"]


@pytest.mark.parametrize("size", [0, -1])
def test_a_size_below_one(size):
    with pytest.raises(ValueError):
        History(size)


def test_a_negative_number_of_entries():
    with pytest.raises(ValueError):
        filled(2, "a").last(-1)
