class OutOfStock(Exception):
    pass


class Stock:
    """How many of each article there are, with reservations."""

    def __init__(self, minimum=5):
        self.count = {}
        self.reserved = {}
        self.minimum = minimum

    def deliver(self, article, n):
        if n <= 0:
            raise ValueError("n must be positive")
        self.count[article] = self.count.get(article, 0) + n

    def free(self, article):
        return self.count.get(article, 0) - self.reserved.get(article, 0)

    def reserve(self, article, n):
        if n > self.free(article):
            raise OutOfStock(article)
        self.reserved[article] = self.reserved.get(article, 0) + n

    def cancel(self, article, n):
        self.reserved[article] = max(0, self.reserved.get(article, 0) - n)

    def ship(self, article, n):
        """Take n reserved pieces away."""
        if n > self.reserved.get(article, 0):
            raise ValueError("not reserved")
        self.reserved[article] -= n

    def to_order(self):
        """Articles with less than the minimum free, sorted."""
        return sorted(a for a in self.count if self.free(a) < self.minimum)
