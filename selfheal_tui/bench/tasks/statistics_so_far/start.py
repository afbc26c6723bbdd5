"""Mean and variance of a stream of numbers (Welford's way, in one pass)."""


class Statistics:
    """What is known of the numbers so far."""

    def __init__(self):
        self.count = 0
        self.mean = 0.0
        self.least = None
        self.greatest = None
        self._squares = 0.0

    def add(self, value):
        """Add a number."""
        self.count += 1
        before = value - self.mean
        self.mean += before / self.count
        self._squares += before * (value - self.mean)
        self.least = value if self.least is None else min(self.least, value)
        self.greatest = value if self.greatest is None else max(self.greatest, value)

    def variance(self):
        """Return the sample variance."""
        return self._squares / (self.count - 1) if self.count > 1 else 0.0

    def merged(self, other):
        """Return the statistics of both."""
        both = Statistics()
        both.count = self.count + other.count
        if not both.count:
            return both
        apart = other.mean - self.mean
        both.mean = (self.mean + other.mean) / 2
        both._squares = self._squares + other._squares + apart * apart * self.count * other.count / both.count
        both.least = min(value for value in (self.least, other.least) if value is not None)
        both.greatest = max(value for value in (self.greatest, other.greatest) if value is not None)
        return both
