from intervals import free_gaps, merge, total_taken


def test_no_bookings():
    assert merge([]) == []


def test_separate_bookings_stay_apart():
    assert merge([(9, 10), (12, 13)]) == [(9, 10), (12, 13)]


def test_overlapping_bookings_become_one():
    assert merge([(9, 11), (10, 12)]) == [(9, 12)]


def test_touching_bookings_become_one():
    assert merge([(9, 10), (10, 11)]) == [(9, 11)]


def test_chain_of_touching_bookings():
    assert merge([(3, 4), (1, 2), (2, 3), (6, 7)]) == [(1, 4), (6, 7)]


def test_a_booking_inside_another():
    assert merge([(8, 18), (9, 10), (12, 13)]) == [(8, 18)]


def test_total_counts_doubly_booked_time_once():
    assert total_taken([(9, 11), (10, 12), (14, 15)]) == 4


def test_gaps_within_opening_hours():
    assert free_gaps([(9, 10), (11, 12)], opens=8, closes=13) == [(8, 9), (10, 11), (12, 13)]
