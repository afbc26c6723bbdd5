"""Blocks of time in which a room is taken, from single bookings."""

from __future__ import annotations

Interval = tuple[int, int]


def merge(bookings: list[Interval]) -> list[Interval]:
    """Merge bookings that overlap or touch into blocks, in order of their start."""
    blocks: list[Interval] = []
    for start, end in sorted(bookings):
        if blocks and start < blocks[-1][1]:
            first, last = blocks[-1]
            blocks[-1] = (first, max(last, end))
        else:
            blocks.append((start, end))
    return blocks


def total_taken(bookings: list[Interval]) -> int:
    """Return for how long the room is taken, counting doubly booked time once."""
    return sum(end - start for start, end in merge(bookings))


def free_gaps(bookings: list[Interval], opens: int, closes: int) -> list[Interval]:
    """Return the gaps between bookings within the opening hours."""
    gaps = []
    at = opens
    for start, end in merge(bookings):
        if start > at:
            gaps.append((at, start))
        at = max(at, end)
    if at < closes:
        gaps.append((at, closes))
    return gaps
