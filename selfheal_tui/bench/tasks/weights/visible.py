import pytest
from weights import grams, heaviest


def test_kilograms():
    assert grams("1.5 kg") == 1500.0


def test_a_comma_is_a_decimal_point():
    assert grams("0,5 kg") == 500.0


def test_the_heaviest_comes_first():
    assert heaviest([("pen", "9 g"), ("book", "0.4 kg"), ("cup", "250 g")]) == ["book", "cup", "pen"]


def test_equal_weights_are_sorted_by_name():
    assert heaviest([("tea", "1 kg"), ("ham", "1000 g"), ("rice", "2 kg")]) == ["rice", "ham", "tea"]


def test_an_unknown_unit():
    with pytest.raises(ValueError):
        grams("3 stones")
