"""Sum up the log of a service: entries by level, and what went wrong when."""

from __future__ import annotations

from typing import NamedTuple

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


class Entry(NamedTuple):
    """One line of the log: `2026-03-01 12:00:05 ERROR disk is full`."""

    day: str
    time: str
    level: str
    message: str


def parse(line: str) -> Entry | None:
    """Read one line; None for a line that is no entry, such as one of a traceback."""
    parts = line.strip().split(" ", 4)
    if len(parts) < 4 or parts[2] not in LEVELS:
        return None
    return Entry(parts[0], parts[1], parts[2], parts[3])


def entries(text: str) -> list[Entry]:
    """Return all entries of a log."""
    found = (parse(line) for line in text.splitlines())
    return [entry for entry in found if entry is not None]


def count_levels(text: str) -> dict[str, int]:
    """Count the entries of every level that occurs."""
    counts: dict[str, int] = {}
    for entry in entries(text):
        counts[entry.level] = counts.get(entry.level, 0) + 1
    return counts


def errors(text: str) -> list[str]:
    """Return `time message` of each error, oldest first."""
    return [f"{entry.time} {entry.message}" for entry in entries(text) if entry.level == "ERROR"]
