from history import History


def filled(size, *entries):
    history = History(size)
    for entry in entries:
        history.add(entry)
    return history


def test_old_entries_go():
    assert filled(2, "a", "b", "c").last(5) == ["b", "c"]


def test_stepping_back_and_forward():
    history = filled(3, "a", "b")
    assert [history.back(), history.back(), history.forward(), history.forward()] == ["b", "a", "b", ""]
