"""A small cache that forgets what was not used for longest."""

from __future__ import annotations

from collections import OrderedDict


class Cache:
    """Keeps at most `capacity` entries, the most recently used last."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError("a cache holds at least one entry")
        self.capacity = capacity
        self.hits = 0
        self.misses = 0
        self._entries: OrderedDict[str, object] = OrderedDict()

    def get(self, key: str, default: object = None) -> object:
        """Return an entry and mark it as used."""
        if key not in self._entries:
            self.misses += 1
            return default
        self.hits += 1
        self._entries.move_to_end(key)
        return self._entries[key]

    def put(self, key: str, value: object) -> None:
        """Store an entry; when there are too many the oldest one goes."""
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self.capacity:
            self._entries.popitem(last=True)

    def keys(self) -> list[str]:
        """Return the keys, the least recently used first."""
        return list(self._entries)
