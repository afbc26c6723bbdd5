from lru import LRU


def test_a_stored_value_is_found():
    cache = LRU(2)
    cache.put("a", 1)
    assert cache.get("a") == 1


def test_nothing_is_found_in_an_empty_cache():
    assert LRU(2).get("a") is None


def test_the_oldest_goes():
    cache = LRU(2)
    for key in "abc":
        cache.put(key, key)
    assert cache.get("a") is None
    assert cache.get("c") == "c"


def test_what_was_used_stays():
    cache = LRU(2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")
    cache.put("c", 3)
    assert cache.get("a") == 1
    assert cache.get("b") is None


def test_hits_are_counted():
    cache = LRU(2)
    cache.put("a", 1)
    cache.get("a")
    cache.get("b")
    assert cache.hits == 1
    assert cache.misses == 1


def test_half_of_the_lookups_were_hits():
    cache = LRU(2)
    cache.put("a", 1)
    cache.get("a")
    cache.get("x")
    assert cache.rate() == 0.5
