"""A cache that forgets what was not used for longest, and knows how useful it was."""


class LRU:
    """Keeps at most `size` values."""

    def __init__(self, size):
        self.size = size
        self.values = {}
        self.hits = 0
        self.misses = 0

    def get(self, key):
        """Return the value and mark it as used; None when it is not there."""
        self.hits += 1
        if key not in self.values:
            self.misses += 1
            return None
        value = self.values.pop(key)
        self.values[key] = value
        return value

    def put(self, key, value):
        """Store a value; the one that was not used for longest goes when there is no room."""
        if key in self.values:
            self.values.pop(key)
        elif len(self.values) >= self.size:
            oldest = next(iter(self.values))
            del self.values[oldest]
        self.values[key] = value

    def rate(self):
        """Return the share of the lookups that were hits; 0 before the first."""
        lookups = self.hits + self.misses
        return self.hits / lookups if lookups else 0
