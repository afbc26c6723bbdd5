from visits import longest, visits

CLICKS = [
    ("ann", 0, "home"),
    ("bob", 5, "shop"),
    ("ann", 40, "shop"),
    ("ann", 90, "cart"),
    ("bob", 200, "home"),
    ("ann", 151, "home"),
]


def spans(found):
    return [(visit["user"], visit["start"], visit["end"]) for visit in found]


def test_no_clicks():
    assert visits([], 60) == []
    assert longest([], 60) is None


def test_one_click_is_a_visit_of_no_length():
    assert visits([("ann", 7, "home")], 60) == [{"user": "ann", "start": 7, "end": 7, "pages": ["home"]}]


def test_a_pause_of_just_the_limit_does_not_end_a_visit():
    assert spans(visits([("a", 0, "x"), ("a", 60, "y"), ("a", 120, "z")], 60)) == [("a", 0, 120)]


def test_users_in_turn():
    assert spans(visits(CLICKS, 60)) == [("ann", 0, 90), ("bob", 5, 5), ("ann", 151, 151), ("bob", 200, 200)]


def test_the_order_of_the_log_does_not_matter():
    assert visits(CLICKS[::-1], 60) == visits(CLICKS, 60)


def test_pages_are_in_order_of_time():
    assert visits(CLICKS, 60)[0]["pages"] == ["home", "shop", "cart"]


def test_equal_starts_are_sorted_by_user():
    assert spans(visits([("b", 1, "x"), ("a", 1, "x")], 10)) == [("a", 1, 1), ("b", 1, 1)]


def test_three_visits_of_one_user():
    assert spans(visits([("a", 0, "x"), ("a", 100, "x"), ("a", 200, "x")], 50)) == [
        ("a", 0, 0),
        ("a", 100, 100),
        ("a", 200, 200),
    ]


def test_the_longest_visit():
    assert spans([longest(CLICKS, 60)]) == [("ann", 0, 90)]


def test_the_first_of_equally_long_visits():
    assert longest([("a", 0, "x"), ("b", 50, "y")], 5)["user"] == "a"
