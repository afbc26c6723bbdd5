"""What a candidate changes in a file, sent in place of its whole text: a module has thousands of lines, an edit one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def common_ends(old: str, new: str) -> tuple[int, int]:
    """Return how many characters both texts have alike at the start, and how many of the rest at the end."""
    most = min(len(old), len(new))
    same, beyond = 0, most + 1
    while beyond - same > 1:  # halved each time: thousands of candidates are compared, and slices are fast
        middle = (same + beyond) // 2
        if old.startswith(new[same:middle], same):
            same = middle
        else:
            beyond = middle
    alike, beyond = 0, most - same + 1
    while beyond - alike > 1:
        middle = (alike + beyond) // 2
        if old.endswith(new[len(new) - middle : len(new) - alike], 0, len(old) - alike):
            alike = middle
        else:
            beyond = middle
    return same, alike


def packed(files: Mapping[str, str], variant: Mapping[str, str]) -> dict[str, list[Any]]:
    """Return path -> how much of the file stays at its start and at its end, and the text between."""
    changes: dict[str, list[Any]] = {}
    for path, text in variant.items():
        same, alike = common_ends(files.get(path, ""), text)
        changes[path] = [same, alike, text[same : len(text) - alike]]
    return changes


def unpacked(files: Mapping[str, str], changes: Mapping[str, Any]) -> dict[str, str]:
    """Return path -> whole text of what was packed for these files."""
    texts: dict[str, str] = {}
    for path, (same, alike, text) in changes.items():
        old = files.get(path, "")
        texts[path] = old[:same] + text + old[len(old) - alike :]
    return texts
