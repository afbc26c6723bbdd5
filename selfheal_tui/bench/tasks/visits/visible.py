from visits import visits


def test_clicks_close_together_are_one_visit():
    found = visits([("ann", 0, "home"), ("ann", 50, "shop"), ("ann", 100, "cart")], 60)
    assert found == [{"user": "ann", "start": 0, "end": 100, "pages": ["home", "shop", "cart"]}]


def test_a_long_pause_begins_a_new_visit():
    found = visits([("ann", 0, "home"), ("ann", 500, "shop")], 60)
    assert [visit["start"] for visit in found] == [0, 500]


def test_two_users_have_visits_of_their_own():
    found = visits([("ann", 0, "home"), ("bob", 10, "home")], 60)
    assert [visit["user"] for visit in found] == ["ann", "bob"]
