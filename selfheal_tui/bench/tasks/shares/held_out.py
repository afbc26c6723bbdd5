import pytest
from shares import settle, share


@pytest.mark.parametrize(
    ("cents", "weights", "parts"),
    [
        (0, [1, 2], [0, 0]),
        (100, [1], [100]),
        (1, [1, 1], [1, 0]),
        (5, [1, 0, 1], [3, 0, 2]),
        (10, [0.5, 0.25, 0.25], [5, 3, 2]),
        (101, [5, 3, 2], [51, 30, 20]),
        (7, [1, 1, 1, 1, 1], [2, 2, 1, 1, 1]),
        (1000, [333, 333, 334], [333, 333, 334]),
        (20, [3, 3, 1], [9, 8, 3]),
        (3, [1, 10], [0, 3]),
        (-1, [1, 1], [-1, 0]),
        (-10, [1, 2, 3], [-2, -3, -5]),
        (10**20 + 1, [1, 1], [5 * 10**19 + 1, 5 * 10**19]),
    ],
)
def test_parts(cents, weights, parts):
    assert share(cents, weights) == parts


@pytest.mark.parametrize("cents", range(-30, 31, 7))
def test_parts_add_up(cents):
    assert sum(share(cents, [3, 1, 4, 1, 5])) == cents


@pytest.mark.parametrize("weights", [[], [0], [1, -1], [-1, -2]])
def test_weights_that_cannot_be(weights):
    with pytest.raises(ValueError):
        share(10, weights)


@pytest.mark.parametrize(
    ("paid", "back"),
    [
        ({}, {}),
        ({"ann": 500}, {"ann": 0}),
        ({"cy": 100, "ann": 0, "bob": 0}, {"ann": -34, "bob": -33, "cy": 67}),
        ({"b": 10, "a": 10}, {"a": 0, "b": 0}),
        ({"b": 10, "a": 5}, {"a": -3, "b": 3}),
    ],
)
def test_settling(paid, back):
    found = settle(paid)
    assert list(found.items()) == list(back.items())
    assert sum(found.values()) == 0
