import pytest
from dotted_keys import build, flatten

TREES = [
    {},
    {"a": 1},
    {"a": {"b": {"c": None}}},
    {"a": [1, [2, 3], {"b": 4}]},
    {"a": {}, "b": [], "c": {"d": []}},
    {"servers": [{"name": "x", "up": True}, {"name": "y", "up": False}]},
    {"many": list(range(12))},
    {"0": "a", "2": "b"},
    {"a": "", "b": False, "c": 0},
]


@pytest.mark.parametrize("tree", TREES)
def test_there_and_back(tree):
    assert build(flatten(tree)) == tree


def test_flat_keys():
    assert flatten({"a": [{"b": 1}, {"c": [2]}]}) == {"a.0.b": 1, "a.1.c.0": 2}


def test_twelve_places_in_text_order():
    flat = {f"x.{n}": n for n in sorted(range(12), key=str)}
    assert build(flat) == {"x": list(range(12))}


def test_numbers_with_a_gap_stay_a_level():
    assert build({"x.0": 1, "x.2": 2}) == {"x": {"0": 1, "2": 2}}


@pytest.mark.parametrize("flat", [{"a": 1, "a.b": 2}, {"a.b": 2, "a": 1}, {"a": {}, "a.b": 1}])
def test_a_key_that_is_value_and_level(flat):
    with pytest.raises(ValueError):
        build(flat)
