from phone_numbers import normalise, unique


def test_a_number_of_this_country():
    assert normalise("030 / 123-456") == "+4930123456"


def test_a_number_with_a_plus():
    assert normalise("+43 (1) 2345.678") == "+4312345678"


def test_two_zeros_are_a_plus():
    assert normalise("0043 1 2345678") == "+4312345678"


def test_the_zero_in_parentheses_is_dropped():
    assert normalise("+49 (0)30 123456") == "+4930123456"


def test_repeats_are_dropped():
    assert unique(["030 123456", "(030) 123456"]) == ["+4930123456"]
