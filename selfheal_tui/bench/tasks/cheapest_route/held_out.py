import pytest
from cheapest_route import cheapest, reachable

ROADS = [
    ("A", "B", 4),
    ("A", "C", 1),
    ("B", "C", 2),
    ("B", "D", 5),
    ("C", "D", 8),
    ("D", "E", 3),
    ("C", "E", 12),
    ("X", "Y", 1),
]


@pytest.mark.parametrize(
    ("start", "goal", "way"),
    [
        ("A", "A", (0, ["A"])),
        ("A", "B", (3, ["A", "C", "B"])),
        ("A", "D", (8, ["A", "C", "B", "D"])),
        ("A", "E", (11, ["A", "C", "B", "D", "E"])),
        ("E", "A", (11, ["E", "D", "B", "C", "A"])),
        ("E", "C", (10, ["E", "D", "B", "C"])),
        ("Y", "X", (1, ["Y", "X"])),
        ("A", "X", None),
        ("nowhere", "A", None),
        ("nowhere", "nowhere", (0, ["nowhere"])),
    ],
)
def test_ways(start, goal, way):
    assert cheapest(ROADS, start, goal) == way


def test_the_cheapest_of_several_roads():
    assert cheapest([("a", "b", 5), ("b", "a", 2), ("a", "b", 9)], "a", "b") == (2, ["a", "b"])


def test_fewer_places_win():
    assert cheapest([("a", "b", 1), ("b", "c", 1), ("a", "c", 2)], "a", "c") == (2, ["a", "c"])


def test_the_smaller_names_win():
    assert cheapest([("a", "y", 1), ("y", "z", 1), ("a", "b", 1), ("b", "z", 1)], "a", "z") == (2, ["a", "b", "z"])


def test_free_roads():
    assert cheapest([("a", "b", 0), ("b", "c", 0)], "a", "c") == (0, ["a", "b", "c"])


def test_a_negative_cost():
    with pytest.raises(ValueError):
        cheapest([("a", "b", -1)], "a", "b")


@pytest.mark.parametrize(
    ("budget", "places"), [(0, ["A"]), (1, ["A", "C"]), (3, ["A", "B", "C"]), (7, ["A", "B", "C"]), (99, list("ABCDE"))]
)
def test_budgets(budget, places):
    assert reachable(ROADS, "A", budget) == places
