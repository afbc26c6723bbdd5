import pytest
from build_order import affected, build_order

NEEDS = {"app": ["ui", "store"], "ui": ["text"], "store": ["text", "json"], "tests": ["app"], "docs": []}


def test_nothing_to_build():
    assert build_order({}) == []


@pytest.mark.parametrize(
    ("needs", "order"),
    [
        ({"a": []}, ["a"]),
        ({"b": [], "a": []}, ["a", "b"]),
        ({"a": ["z"]}, ["z", "a"]),
        ({"a": ["b", "b"], "b": ["c"]}, ["c", "b", "a"]),
        ({"b": ["a"], "c": ["a"], "d": ["b", "c"]}, ["a", "b", "c", "d"]),
        ({"a": ["d"], "b": [], "c": []}, ["b", "c", "d", "a"]),
        (NEEDS, ["docs", "json", "text", "store", "ui", "app", "tests"]),
    ],
)
def test_orders(needs, order):
    assert build_order(needs) == order


@pytest.mark.parametrize(
    ("needs", "left"),
    [
        ({"a": ["a"]}, "a"),
        ({"a": ["b"], "b": ["c"], "c": ["a"]}, "a, b, c"),
        ({"a": ["b"], "b": ["a"], "x": ["a"], "y": []}, "a, b, x"),
    ],
)
def test_circles(needs, left):
    with pytest.raises(ValueError, match=f"{left}$"):
        build_order(needs)


@pytest.mark.parametrize(
    ("changed", "again"),
    [
        ("text", ["app", "store", "tests", "text", "ui"]),
        ("json", ["app", "json", "store", "tests"]),
        ("app", ["app", "tests"]),
        ("docs", ["docs"]),
        ("unknown", []),
    ],
)
def test_changes(changed, again):
    assert affected(NEEDS, changed) == again


def test_a_circle_is_walked_once():
    assert affected({"a": ["b"], "b": ["a"]}, "a") == ["a", "b"]


def test_needs_stay_as_they_are():
    needs = {"a": ["b"], "b": []}
    build_order(needs)
    assert needs == {"a": ["b"], "b": []}
