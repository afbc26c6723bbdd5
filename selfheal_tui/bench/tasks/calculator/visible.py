import pytest
from calculator import calculate


def test_products_come_before_sums():
    assert calculate("2 + 3 * 4") == 14


def test_minus_goes_from_left_to_right():
    assert calculate("10 - 3 - 2") == 5


def test_a_power_binds_stronger_than_a_minus():
    assert calculate("-2^2") == -4


def test_parentheses():
    assert calculate("2 * (3 - 1)") == 4


def test_what_is_no_formula():
    with pytest.raises(ValueError):
        calculate("2 +")
