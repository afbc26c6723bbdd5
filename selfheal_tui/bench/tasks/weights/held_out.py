import pytest
from weights import grams, heaviest


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("250g", 250.0),
        ("250", 250.0),
        (" 2 KG ", 2000.0),
        ("0.25 t", 250000.0),
        ("1,25 kg", 1250.0),
        ("500 mg", 0.5),
        ("2 lb", 907.18474),
        ("4 Oz", 113.3980925),
        ("0 kg", 0.0),
    ],
)
def test_units(text, value):
    assert grams(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "kg", "-1 kg", "3 foo", "a lot"])
def test_what_is_no_weight(text):
    with pytest.raises(ValueError):
        grams(text)


def test_order_over_units():
    items = [("feather", "20 mg"), ("car", "1,2 t"), ("ham", "2 lb"), ("flour", "1 kg")]
    assert heaviest(items) == ["car", "flour", "ham", "feather"]


def test_equal_weights_by_name():
    assert heaviest([("b", "1 kg"), ("c", "1000 g"), ("a", "1,0 kg")]) == ["a", "b", "c"]


def test_nothing_to_sort():
    assert heaviest([]) == []
