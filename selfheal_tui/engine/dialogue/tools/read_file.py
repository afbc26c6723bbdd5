"""Tool: lines of a file of the workspace, with their numbers."""

from __future__ import annotations

from ...workshop.role_context import RoleContext
from .common import known_path, numbered_lines

_MOST_LINES = 120


def read_file(context: RoleContext, path: str, first: int, last: int) -> str:
    """Return lines `first` to `last` (0: from the start, to the end), at most 120. Raises: Refused."""
    files = context.workspace.files
    name = known_path(path, files)
    count = len(files[name].splitlines())
    start = min(max(first, 1), max(count, 1))
    end = min(last if last >= start else count, count, start + _MOST_LINES - 1)
    if not count:
        return f"{name} is empty."
    return f"{name}, lines {start} to {end} of {count}:\n{numbered_lines(files[name], start, end)}"
