"""Which processes there are, as the host sees them."""

from __future__ import annotations

from pathlib import Path


def descendants(pid: int) -> set[int]:
    """Return the processes below one."""
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        for task in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            waiting += (more := [int(child) for child in task.read_text().split()])
            found |= set(more)
    return found
