from lru import LRU


def test_counts():
    cache = LRU(2)
    cache.put("a", 1)
    for key in "aaxya":
        cache.get(key)
    assert (cache.hits, cache.misses) == (3, 2)


def test_only_misses():
    cache = LRU(1)
    for key in "abc":
        cache.get(key)
    assert (cache.hits, cache.misses, cache.rate()) == (0, 3, 0)


def test_rate():
    cache = LRU(1)
    assert cache.rate() == 0
    cache.put("a", 1)
    for key in "aaab":
        cache.get(key)
    assert cache.rate() == 0.75


def test_order():
    cache = LRU(2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.put("a", 3)
    cache.put("c", 4)
    assert cache.get("b") is None
    assert cache.get("a") == 3
