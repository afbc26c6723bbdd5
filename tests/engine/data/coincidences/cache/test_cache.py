from cache import Cache


class Clock:
    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now


def test_get():
    c = Cache(2, 10, Clock())
    c.put("a", 1)
    assert c.get("a") == 1
    assert c.get("b", 7) == 7


def test_evict():
    c = Cache(2, 10, Clock())
    c.put("a", 1)
    c.put("b", 2)
    c.get("a")
    c.put("c", 3)
    assert c.get("b") is None
    assert c.get("a") == 1
    assert c.get("c") == 3


def test_ttl():
    clock = Clock()
    c = Cache(2, 10, clock)
    c.put("a", 1)
    clock.now = 11
    assert c.get("a") is None
    assert len(c.data) == 0


def test_rate():
    c = Cache(2, 10, Clock())
    assert c.rate() == 0.0
    c.put("a", 1)
    c.get("a")
    c.get("a")
    c.get("a")
    c.get("x")
    assert c.rate() == 0.75
