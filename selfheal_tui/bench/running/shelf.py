"""Replies of models that the runs of a matrix share: each request about a task is paid once, whichever run asks first.

Tries of a task are tasks of their own here: they must differ as they would without a shelf.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from selfheal_tui.llm.base import Usage
from selfheal_tui.store.shared_replies import SharedReplies, read_payments

FOLDER = "replies"


class Shelf:
    """The shelf of a matrix, as one of its runs sees it."""

    def __init__(self, folder: Path, run: str) -> None:
        self._folder = folder
        self._run = run

    def of_task(self, task_id: str) -> SharedReplies:
        """Return the replies about one task."""
        name = hashlib.sha256(task_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return SharedReplies(self._folder / name, self._run)


def paid(folder: Path) -> dict[str, tuple[int, Usage]]:
    """Return run -> how many calls it paid, and what they used. Raises: SessionError."""
    bills: dict[str, tuple[int, Usage]] = {}
    for run, usage in read_payments(folder):
        calls, total = bills.get(run, (0, None))
        bills[run] = (calls + 1, usage if total is None else total + usage)
    return bills
