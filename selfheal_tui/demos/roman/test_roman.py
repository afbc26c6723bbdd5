import pytest
from roman import to_number, to_numeral


def test_signs_add_up():
    assert to_number("MDCLXVI") == 1666


def test_small_letters():
    assert to_number("xii") == 12


def test_a_smaller_sign_before_a_larger_is_taken_off():
    assert to_number("IX") == 9
    assert to_number("XL") == 40


def test_a_year():
    assert to_number("MCMXCIV") == 1994


def test_writing_adds_signs():
    assert to_numeral(1666) == "MDCLXVI"


def test_writing_the_short_way():
    assert to_numeral(4) == "IV"
    assert to_numeral(90) == "XC"


def test_writing_a_year():
    assert to_numeral(1994) == "MCMXCIV"


def test_only_what_can_be_written():
    with pytest.raises(ValueError):
        to_numeral(0)
