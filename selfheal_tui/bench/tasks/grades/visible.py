import pytest
from grades import grade, needed, overview


def test_grades():
    assert [grade(points) for points in (95, 85, 70, 55, 20)] == ["A", "B", "C", "D", "F"]


def test_counts():
    assert overview([95, 20, 30]) == {"A": 1, "B": 0, "C": 0, "D": 0, "F": 2}


def test_points_that_are_needed():
    assert needed("C", 40) == 26


def test_more_points_than_there_are():
    with pytest.raises(ValueError):
        grade(41, 40)
