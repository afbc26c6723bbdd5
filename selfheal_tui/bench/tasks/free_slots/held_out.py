import pytest
from free_slots import free_slots, total_free


@pytest.mark.parametrize(
    ("busy", "slots"),
    [
        ([], [(540, 1020)]),
        ([(540, 1020)], []),
        ([(600, 660)], [(540, 600), (660, 1020)]),
        ([(900, 960), (600, 660)], [(540, 600), (660, 900), (960, 1020)]),
        ([(600, 660), (660, 720)], [(540, 600), (720, 1020)]),
        ([(600, 900), (650, 700), (950, 1000)], [(540, 600), (900, 950), (1000, 1020)]),
        ([(400, 500), (1100, 1200)], [(540, 1020)]),
        ([(400, 600), (1000, 1200)], [(600, 1000)]),
        ([(500, 1100)], []),
    ],
)
def test_free_times_of_a_day(busy, slots):
    assert free_slots(busy, 540, 1020) == slots


def test_short_times_are_left_out_everywhere():
    assert free_slots([(550, 600), (620, 1010)], 540, 1020, 15) == [(600, 620)]


def test_a_time_that_is_just_long_enough_counts():
    assert free_slots([(555, 1005)], 540, 1020, 15) == [(540, 555), (1005, 1020)]


def test_the_total_counts_no_minute_twice():
    assert total_free([(600, 700), (650, 750), (660, 670)], 540, 1020) == 60 + 270


def test_the_given_list_is_left_as_it_is():
    busy = [(900, 960), (600, 660)]
    free_slots(busy, 540, 1020)
    assert busy == [(900, 960), (600, 660)]


def test_no_shortest_time_below_one():
    with pytest.raises(ValueError):
        free_slots([], 540, 1020, 0)
