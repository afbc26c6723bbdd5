"""Lines that no case ran, in few words: those of the first few files, and of these the first few. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from selfheal_tui.text import one_line, plural, ranges

_SHOWN_FILES = 3
_SHOWN_RANGES = 8


def few_ranges(lines: Sequence[int]) -> str:
    """Return line numbers in short, the first few: `3-5, 9 and 12 more lines`."""
    parts = ranges(sorted(lines)).split(", ")
    shown = ", ".join(parts[:_SHOWN_RANGES])
    count = sum(int(part.rpartition("-")[2]) - int(part.partition("-")[0]) + 1 for part in parts[_SHOWN_RANGES:])
    return f"{shown} and {plural(count, 'more line')}" if count else shown


def idle_in(idle: Mapping[str, Sequence[int]], changed: Collection[str]) -> dict[str, str]:
    """Return the first few changed files -> their lines that no case ran, in short; those of others are no news.

    Where nothing was changed, all files count.
    """
    paths = [path for path, lines in idle.items() if lines and (path in changed or not changed)]
    return {path: few_ranges(idle[path]) for path in paths[:_SHOWN_FILES]}


def idle_words(idle: Mapping[str, Sequence[int]], changed: Collection[str]) -> str:
    """Return `shop.py 3-5, till.py 9`, of changed files; empty for no line."""
    return ", ".join(f"{one_line(path, 80)} {lines}" for path, lines in idle_in(idle, changed).items())
