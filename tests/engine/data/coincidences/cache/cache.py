"""An LRU cache with a time to live."""
from collections import OrderedDict


class Cache:
    def __init__(self, size, ttl, clock):
        self.size = size
        self.ttl = ttl
        self.clock = clock
        self.data = OrderedDict()
        self.hits = 0
        self.misses = 0

    def put(self, key, value):
        if key in self.data:
            del self.data[key]
        elif len(self.data) >= self.size:
            self.data.popitem()
        self.data[key] = (value, self.clock())

    def get(self, key, default=None):
        if key not in self.data:
            self.misses += 1
            return default
        value, at = self.data[key]
        if self.clock() - at > self.ttl:
            del self.data[key]
            self.misses += 1
            return default
        self.data.move_to_end(key)
        self.hits += 1
        return value

    def rate(self):
        """Share of the gets that were hits, 0.0 before the first."""
        asked = self.hits + self.misses
        if asked == 0:
            return 0.0
        return self.hits / self.misses
