import pytest
from windows import moving_average, windows


@pytest.mark.parametrize(
    ("size", "step", "result"),
    [
        (1, 1, ["a", "b", "c", "d"]),
        (2, 1, ["ab", "bc", "cd"]),
        (3, 1, ["abc", "bcd"]),
        (3, 2, ["abc", "cd"]),
        (3, 3, ["abc", "d"]),
        (4, 1, ["abcd"]),
        (4, 4, ["abcd"]),
        (9, 2, ["abcd"]),
    ],
)
def test_windows_of_four(size, step, result):
    assert windows("abcd", size, step) == result


def test_no_items():
    assert windows([], 3, 2) == []


@pytest.mark.parametrize(("size", "step"), [(0, 1), (2, 0), (2, 3), (-1, -1)])
def test_sizes_that_cannot_be(size, step):
    with pytest.raises(ValueError):
        windows([1, 2], size, step)


@pytest.mark.parametrize(
    ("values", "size", "result"),
    [
        ([], 1, []),
        ([5], 1, [5.0]),
        ([5], 2, []),
        ([1, 2, 3], 1, [1.0, 2.0, 3.0]),
        ([1, 2, 3], 3, [2.0]),
        ([4, 0, 4, 8, -4, 0], 3, [8 / 3, 4.0, 8 / 3, 4 / 3]),
        ([2, 4, 6, 8, 10], 2, [3.0, 5.0, 7.0, 9.0]),
    ],
)
def test_means(values, size, result):
    assert moving_average(values, size) == result


def test_no_mean_of_nothing():
    with pytest.raises(ValueError):
        moving_average([1, 2], 0)
