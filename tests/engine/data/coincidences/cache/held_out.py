from cache import Cache


def test_what_was_used_lately_stays_and_the_rate_counts_all():
    c = Cache(3, 10, lambda: 0)
    for key in "abc":
        c.put(key, key)
    c.get("a")
    c.put("d", "d")
    assert list(c.data) == ["c", "a", "d"]
    c.get("a")
    assert c.rate() == 1.0
    c.get("q")
    assert abs(c.rate() - 2 / 3) < 1e-9
