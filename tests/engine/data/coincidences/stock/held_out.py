from stock import Stock


def test_what_is_shipped_leaves_the_rest_reserved():
    s = Stock()
    s.deliver("a", 10)
    s.reserve("a", 10)
    s.ship("a", 3)
    assert s.count["a"] == 7
    assert s.free("a") == 0
    assert s.reserved["a"] == 7
