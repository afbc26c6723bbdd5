import pytest
from matrix import multiply, shape, transpose, turn_right

WIDE = [[1, 2, 3], [4, 5, 6]]
TALL = [[1, 0], [0, 1], [2, 2]]


def test_shape():
    assert shape(WIDE) == (2, 3)
    assert shape([]) == (0, 0)


def test_transpose():
    assert transpose(WIDE) == [[1, 4], [2, 5], [3, 6]]


def test_turn_right():
    assert turn_right(WIDE) == [[4, 1], [5, 2], [6, 3]]


def test_product_of_squares():
    assert multiply([[1, 2], [3, 4]], [[0, 1], [1, 0]]) == [[2, 1], [4, 3]]


def test_wide_times_tall():
    assert multiply(WIDE, TALL) == [[7, 8], [16, 17]]


def test_tall_times_wide():
    assert multiply(TALL, WIDE) == [[1, 2, 3], [4, 5, 6], [10, 14, 18]]


def test_row_times_column():
    assert multiply([[1, 2, 3]], [[4], [5], [6]]) == [[32]]


def test_shapes_must_fit():
    with pytest.raises(ValueError):
        multiply(WIDE, WIDE)
