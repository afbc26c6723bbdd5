"""Who holds which lock, and who waits for it."""


class LockTable:
    """Locks with queues; a worker waits for one lock at most."""

    def __init__(self):
        self._holds = {}
        self._queues = {}

    def holder(self, lock):
        """Return who holds a lock; None when it is free."""
        return self._holds[lock][0] if lock in self._holds else None

    def waits_for(self, worker):
        """Return the lock that a worker waits for, or None."""
        return next((lock for lock, queue in self._queues.items() if worker in queue), None)

    def acquire(self, lock, worker):
        """Take a lock, or wait for it; tell whether it was taken."""
        if self.waits_for(worker) is not None:
            raise ValueError(f"{worker} waits already")
        holder = self.holder(lock)
        if holder is not None and holder != worker:
            self._holds[lock] = (worker, self._holds.get(lock, (worker, 0))[1] + 1)
            return True
        while holder is not None:
            if holder == worker:
                raise RuntimeError(f"{worker} would wait for itself")
            awaited = self.waits_for(holder)
            holder = None if awaited is None else self.holder(awaited)
        self._queues.setdefault(lock, []).append(worker)
        return False

    def release(self, lock, worker):
        """Give one hold back; return who holds the lock by that."""
        if self.holder(lock) == worker:
            raise ValueError(f"{worker} does not hold {lock}")
        times = self._holds[lock][1]
        if times > 1:
            self._holds[lock] = (worker, times - 1)
            return None
        return self._hand_on(lock)

    def leave(self, worker):
        """Take a worker out of everything; return who holds a lock by that."""
        for queue in self._queues.values():
            if worker in queue:
                queue.remove(worker)
        held = sorted(lock for lock in self._holds if self.holder(lock) == worker)
        return [heir for heir in map(self._hand_on, held) if heir is not None]

    def _hand_on(self, lock):
        queue = self._queues.get(lock)
        if not queue:
            del self._holds[lock]
            return None
        heir = queue.pop(0)
        self._holds[lock] = (heir, 1)
        return heir
