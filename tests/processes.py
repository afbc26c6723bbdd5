"""Which processes there are, as the host sees them."""

from __future__ import annotations

import contextlib
from pathlib import Path


def children(pid: int) -> set[int]:
    """Return the processes that one has started itself; none when it is gone."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found.update(map(int, task.read_text().split()))
    return found


def descendants(pid: int) -> set[int]:
    """Return the processes below one."""
    found: set[int] = set()
    waiting = {pid}
    while waiting:
        more = children(waiting.pop())
        waiting |= more
        found |= more
    return found
