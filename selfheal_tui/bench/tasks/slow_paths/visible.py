from slow_paths import parse, slow_paths


def test_a_path_has_no_query():
    assert parse("GET /users?page=2 200 35") == ("/users", 200, 35)


def test_the_slow_path_is_named():
    assert slow_paths(["GET /a 200 900", "GET /a 200 100", "GET /b 200 20"], 500) == [("/a", 2, 900)]


def test_failures_do_not_count():
    assert slow_paths(["GET /a 503 9000", "GET /a 200 10"], 500) == []


def test_a_line_without_a_time_is_left_out():
    assert parse("GET /a 200") is None
