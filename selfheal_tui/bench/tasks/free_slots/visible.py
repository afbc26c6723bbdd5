from free_slots import free_slots


def test_the_time_between_two_meetings_is_free():
    assert free_slots([(540, 600), (660, 720)], 540, 720) == [(600, 660)]


def test_a_short_meeting_inside_a_long_one_changes_nothing():
    assert free_slots([(540, 660), (560, 580), (690, 720)], 540, 720) == [(660, 690)]


def test_the_end_of_the_day_is_free():
    assert free_slots([(540, 600)], 540, 1020) == [(600, 1020)]
