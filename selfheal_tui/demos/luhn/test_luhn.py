import pytest
from luhn import check_digit, digits_of, is_valid, luhn_sum


def test_grouped_digits():
    assert digits_of("45 39-1") == [4, 5, 3, 9, 1]


def test_sum_of_a_short_number():
    assert luhn_sum("18") == 10


def test_zeros_add_nothing():
    assert luhn_sum("000") == 0


@pytest.mark.parametrize("number", ["4539 1488 0343 6467", "79927398713", "18"])
def test_good_numbers(number):
    assert is_valid(number)


def test_a_wrong_digit_is_noticed():
    assert not is_valid("79927398710")


def test_one_digit_is_too_short():
    assert not is_valid("0")


def test_check_digit():
    assert check_digit("7992739871") == 3
