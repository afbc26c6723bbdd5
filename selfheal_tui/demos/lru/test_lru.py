import pytest
from lru import Cache


def filled(capacity, *keys):
    cache = Cache(capacity)
    for key in keys:
        cache.put(key, key.upper())
    return cache


def test_a_stored_entry_is_found():
    assert filled(2, "a").get("a") == "A"


def test_a_missing_entry_gives_the_default():
    assert filled(2, "a").get("b", "nothing") == "nothing"


def test_a_full_cache_forgets_the_oldest():
    assert filled(2, "a", "b", "c").keys() == ["b", "c"]


def test_looking_up_keeps_an_entry():
    cache = filled(2, "a", "b")
    cache.get("a")
    cache.put("c", "C")
    assert cache.keys() == ["a", "c"]


def test_storing_again_moves_to_the_end():
    assert filled(3, "a", "b", "a").keys() == ["b", "a"]


def test_hits_and_misses_are_counted():
    cache = filled(1, "a")
    cache.get("a")
    cache.get("b")
    assert (cache.hits, cache.misses) == (1, 1)


def test_no_room_is_refused():
    with pytest.raises(ValueError):
        Cache(0)
