from windows import moving_average, windows


def test_windows_side_by_side():
    assert windows("abcdef", 3, 3) == ["abc", "def"]


def test_windows_that_overlap():
    assert windows("abcde", 3, 2) == ["abc", "cde"]


def test_a_short_window_at_the_end():
    assert windows("abcdefg", 3, 2) == ["abc", "cde", "efg"]


def test_the_mean_moves():
    assert moving_average([1, 2, 3, 8], 2) == [1.5, 2.5, 5.5]
