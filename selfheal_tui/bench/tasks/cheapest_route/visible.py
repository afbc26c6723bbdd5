from cheapest_route import cheapest, reachable

ROADS = [("a", "b", 7), ("a", "c", 2), ("c", "b", 3), ("b", "d", 1)]


def test_a_detour_may_be_cheaper():
    assert cheapest(ROADS, "a", "b") == (5, ["a", "c", "b"])


def test_roads_go_both_ways():
    assert cheapest(ROADS, "d", "a") == (6, ["d", "b", "c", "a"])


def test_no_way():
    assert cheapest(ROADS, "a", "z") is None


def test_places_within_a_budget():
    assert reachable(ROADS, "a", 5) == ["a", "b", "c"]
