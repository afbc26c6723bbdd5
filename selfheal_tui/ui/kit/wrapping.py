"""Where a line that is too long for the screen is broken. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from rich.cells import cell_len

Piece = tuple[int, int]
"""First character, and the one after the last."""

LONGEST = 3_000
"""Characters; of a longer line only its beginning and what is marked is drawn: such a line is data."""
_AROUND = 60
"""Characters kept on either side of a mark in such a line."""
_MOST_JOINED = 12
"""Characters that may belong to one sign on the screen; a longer heap of accents is cut anywhere."""
_BREAKS = frozenset(" ,;:)]}")
"""A line is broken after one of these where there is one in the last third."""


def pieces(text: str, room: int, marked: Sequence[Piece] = ()) -> list[Piece]:
    """Return the pieces of a line, each at most `room` cells wide; one where the line fits.

    Of a very long line much is left out: the next piece, which may be empty, begins after a gap.
    """
    if room < 1 or (len(text) <= room and cell_len(text) <= room):
        return [(0, len(text))]
    indent = hanging(text, room)
    parts: list[Piece] = []
    for first, last in _windows(text, marked):
        at = first
        while at < last:
            stop = _stop(text, at, last, room - (indent if parts else 0))
            parts.append((at, stop))
            at = stop
    return parts if parts[-1][1] == len(text) else [*parts, (len(text), len(text))]


def hanging(text: str, room: int) -> int:
    """Return how far the further pieces of a line are indented: as the line is, where there is room."""
    return min(len(text) - len(text.lstrip(" ")), room // 3)


def _windows(text: str, marked: Sequence[Piece]) -> list[Piece]:
    """Return what is drawn of a line: all of it, or the beginning and the surroundings of each mark."""
    if len(text) <= LONGEST:
        return [(0, len(text))]
    windows: list[Piece] = [(0, _AROUND)]
    for start, end in marked:
        first, last = max(0, start - _AROUND), min(len(text), min(end, start + LONGEST) + _AROUND)
        if first <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(windows[-1][1], last))
        else:
            windows.append((first, last))
        if sum(b - a for a, b in windows) > LONGEST:
            break
    return windows


def _joined(before: str, after: str) -> bool:
    """Tell whether two characters are drawn as one: an accent, the parts of an emoji, the letters of a flag."""
    if after.isascii():
        return False
    flag = "\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff"
    return flag or unicodedata.category(after) in ("Mn", "Me", "Mc", "Cf") or "\U0001f3fb" <= after <= "\U0001f3ff"


def _stop(text: str, start: int, end: int, room: int) -> int:
    """Return where the piece that begins at `start` ends."""
    stop = min(end, start + room)
    while stop > start + 1 and cell_len(text[start:stop]) > room:
        stop -= 1
    if stop < end:
        whole = (at for at in range(stop, max(start, stop - _MOST_JOINED), -1) if not _joined(text[at - 1], text[at]))
        stop = next(whole, stop)
        for at in range(stop, max(start, stop - room // 3), -1):
            if text[at - 1] in _BREAKS:
                return at
    return stop
