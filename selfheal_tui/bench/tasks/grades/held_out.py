import pytest
from grades import grade, needed, overview


@pytest.mark.parametrize(
    ("points", "letter"),
    [(100, "A"), (90, "A"), (89, "B"), (80, "B"), (79, "C"), (65, "C"), (64, "D"), (50, "D"), (49, "F"), (0, "F")],
)
def test_boundaries(points, letter):
    assert grade(points) == letter


def test_a_share_is_not_rounded():
    assert (grade(89.9), grade(36, 40), grade(35.9, 40)) == ("B", "A", "B")


@pytest.mark.parametrize(("points", "out_of"), [(-1, 100), (101, 100), (0, 0), (1, -5)])
def test_points_that_cannot_be(points, out_of):
    with pytest.raises(ValueError):
        grade(points, out_of)


def test_counts_have_all_letters_in_order():
    assert list(overview([]).items()) == [("A", 0), ("B", 0), ("C", 0), ("D", 0), ("F", 0)]
    assert overview([90, 90, 80, 65, 50], 100) == {"A": 2, "B": 1, "C": 1, "D": 1, "F": 0}


@pytest.mark.parametrize("letter", ["A", "B", "C", "D"])
def test_what_is_needed_is_just_enough(letter):
    least = needed(letter, 30)
    assert grade(least, 30) == letter
    assert grade(least - 1, 30) != letter


def test_nothing_is_needed_to_fail():
    assert needed("F", 30) == 0


def test_no_such_grade():
    with pytest.raises(ValueError):
        needed("E")
