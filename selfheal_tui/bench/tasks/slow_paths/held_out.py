import pytest
from slow_paths import parse, slow_paths


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("GET / 200 5", ("/", 200, 5)),
        ("POST /a/b/ 201 12", ("/a/b", 201, 12)),
        ("GET /?q=1 200 5", ("/", 200, 5)),
        ("GET /a/?x=/b 200 5", ("/a", 200, 5)),
        ("", None),
        ("GET /a ok 5", None),
        ("GET /a 200 5 more", None),
        ("GET /a 200 -5", None),
    ],
)
def test_lines(line, request_):
    assert parse(line) == request_


def test_twenty_times_leave_one_out():
    lines = [f"GET /a 200 {ms}" for ms in [2000, *range(1, 20)]]
    assert slow_paths(lines, 10) == [("/a", 20, 19)]


def test_the_slowest_comes_first_and_equal_ones_by_path():
    lines = ["GET /b 200 70", "GET /a?x=1 200 70", "GET /c/ 200 90", "GET /d 200 10"]
    assert slow_paths(lines, 50) == [("/c", 1, 90), ("/a", 1, 70), ("/b", 1, 70)]


def test_queries_and_slashes_are_one_path():
    lines = ["GET /a?x=1 200 60", "GET /a/ 200 80", "GET /a 404 70"]
    assert slow_paths(lines, 50) == [("/a", 3, 80)]


def test_a_time_at_the_limit_is_not_above_it():
    assert slow_paths(["GET /a 200 50"], 50) == []


def test_only_failures_give_nothing():
    assert slow_paths(["GET /a 500 900", "nonsense"], 1) == []


def test_order_of_the_lines_does_not_matter():
    lines = ["GET /a 200 10", "GET /a 200 300", "GET /a 200 20"]
    assert slow_paths(lines, 100) == slow_paths(lines[::-1], 100) == [("/a", 3, 300)]
