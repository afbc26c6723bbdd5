from range_gaps import subtract


def test_a_hole_in_the_middle_leaves_two_parts():
    assert subtract([(0, 10)], [(3, 5)]) == [(0, 3), (5, 10)]


def test_without_holes_ranges_are_merged():
    assert subtract([(5, 8), (0, 5)], []) == [(0, 8)]
