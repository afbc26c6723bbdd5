import pytest
from circles import distance, groups

PAIRS = [("a", "b"), ("c", "b"), ("c", "d"), ("d", "a"), ("d", "e"), ("x", "y"), ("q", "q")]


def test_nobody():
    assert groups([], []) == []


def test_people_without_friends():
    assert groups(["b", "a"], []) == [["a"], ["b"]]


def test_groups_of_all_sizes():
    assert groups(["z", "a"], PAIRS) == [["a", "b", "c", "d", "e"], ["x", "y"], ["q"], ["z"]]


def test_a_name_that_comes_twice_is_one_person():
    assert groups(["a", "a", "b"], [("a", "b"), ("b", "a")]) == [["a", "b"]]


def test_equally_large_groups_by_name():
    assert groups([], [("d", "c"), ("b", "e"), ("a", "z")]) == [["a", "z"], ["b", "e"], ["c", "d"]]


def test_a_long_chain_is_one_group():
    chain = [(f"p{n:04}", f"p{n + 1:04}") for n in range(1500)]
    assert [len(group) for group in groups([], chain)] == [1501]


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [
        ("a", "a", 0),
        ("a", "b", 1),
        ("b", "a", 1),
        ("a", "c", 2),
        ("b", "e", 3),
        ("e", "b", 3),
        ("a", "x", None),
        ("q", "q", 0),
        ("nobody", "a", None),
        ("nobody", "nobody", 0),
    ],
)
def test_distances(one, other, steps):
    assert distance(PAIRS, one, other) == steps
