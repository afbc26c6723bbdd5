"""What was entered last."""


class History:
    """The last entries, oldest first, and where the user stands among them."""

    def __init__(self, size):
        if size < 1:
            raise ValueError("a history holds at least one entry")
        self._size = size
        self._entries = []
        self._place = 0

    def __len__(self):
        return len(self._entries)

    def add(self, entry):
        """Add an entry; the oldest one goes where there is no room."""
        if not self._entries or self._entries[-1] != entry:
            self._entries.append(entry)
            del self._entries[self._size :]
        self._place = 0

    def last(self, n):
        """Return the newest n entries, oldest of them first."""
        if n < 0:
            raise ValueError("no negative number of entries")
        return self._entries[:n]

    def back(self):
        """Step to the entry before and return it."""
        if not self._entries:
            return ""
        self._place = max(0, self._place - 1)
        return self._entries[self._place]

    def forward(self):
        """Step to the entry after and return it; an empty text after the newest."""
        self._place = min(len(self._entries), self._place + 1)
        return self._entries[self._place] if self._place < len(self._entries) else ""
