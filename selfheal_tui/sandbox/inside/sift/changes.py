"""What a candidate changes in a file, sent in place of its whole text: a module has thousands of lines, an edit one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_STEPS = (4096, 512, 64, 8, 1)
"""Characters that are compared at a time."""


def common_ends(old: str, new: str) -> tuple[int, int]:
    """Return how many characters both texts have alike at the start, and how many of the rest at the end."""
    most = min(len(old), len(new))
    same = alike = 0
    for step in _STEPS:
        while same + step <= most and old[same : same + step] == new[same : same + step]:
            same += step
    most -= same
    for step in _STEPS:
        while alike + step <= most and _tail(old, alike, step) == _tail(new, alike, step):
            alike += step
    return same, alike


def _tail(text: str, behind: int, length: int) -> str:
    """Return so many characters of a text that has so many more behind them."""
    end = len(text) - behind
    return text[end - length : end]


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
