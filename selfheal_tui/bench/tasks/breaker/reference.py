"""A circuit breaker with a clock of the caller's."""


class Breaker:
    """Counts failures in a row and stops calls for a while."""

    def __init__(self, limit, pause):
        self.limit = limit
        self.pause = pause
        self.failures = 0
        self.opened_at = None
        self.trying = False

    def state(self, now):
        if self.opened_at is None:
            return "closed"
        return "half open" if now - self.opened_at >= self.pause else "open"

    def allows(self, now):
        state = self.state(now)
        if state == "half open" and not self.trying:
            self.trying = True
            return True
        return state == "closed"

    def succeeded(self, now):
        if self.state(now) == "open":
            return
        self.failures = 0
        self.opened_at = None
        self.trying = False

    def failed(self, now):
        state = self.state(now)
        if state == "open":
            return
        self.failures += 1
        if state == "half open" or self.failures >= self.limit:
            self.opened_at = now
            self.trying = False
