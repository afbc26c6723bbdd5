import pytest
from range_gaps import subtract


@pytest.mark.parametrize(
    ("ranges", "holes", "left"),
    [
        ([], [(1, 2)], []),
        ([(0, 10)], [(0, 10)], []),
        ([(0, 10)], [(-5, 20)], []),
        ([(0, 10)], [(0, 4)], [(4, 10)]),
        ([(0, 10)], [(6, 10)], [(0, 6)]),
        ([(0, 10)], [(2, 3), (5, 6)], [(0, 2), (3, 5), (6, 10)]),
        ([(0, 10)], [(5, 6), (2, 3), (2, 4)], [(0, 2), (4, 5), (6, 10)]),
        ([(0, 4), (6, 10)], [(3, 7)], [(0, 3), (7, 10)]),
        ([(0, 6), (4, 10)], [(5, 7)], [(0, 5), (7, 10)]),
        ([(0, 2)], [(3, 4), (1, 2)], [(0, 1)]),
        ([(0, 1), (4, 5), (2, 3)], [(2, 3)], [(0, 1), (4, 5)]),
        ([(0, 10)], [(2, 4), (4, 6)], [(0, 2), (6, 10)]),
    ],
)
def test_what_is_left(ranges, holes, left):
    assert subtract(ranges, holes) == left


def test_the_given_lists_stay_as_they_are():
    ranges, holes = [(5, 8), (0, 5)], [(7, 9), (1, 2)]
    subtract(ranges, holes)
    assert (ranges, holes) == ([(5, 8), (0, 5)], [(7, 9), (1, 2)])


@pytest.mark.parametrize(("ranges", "holes"), [([(3, 3)], []), ([(0, 1)], [(5, 4)])])
def test_what_is_no_range_is_refused(ranges, holes):
    with pytest.raises(ValueError):
        subtract(ranges, holes)
