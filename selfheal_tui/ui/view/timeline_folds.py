"""Fold iterations and branches of the drawn tree; what is folded leaves one row with a summary. Pure.

+ ✗ suite 6/8  4 rows, took 3: line 24 `<` → `<=`  #0
✓ suite 8/8  healed                                #1
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from selfheal_tui.text import plural

from .timeline_rows import TimelineRow, TimelineRows

_TELLING = ("◆", "✓", "✎", "↺", "■")


def fold_key(row: TimelineRow) -> str:
    """Return what a head is remembered by; empty for a row below which nothing folds."""
    return f"{row.head} {row.checkpoint_id}" if row.head else ""


def fold_end(rows: tuple[TimelineRow, ...], at: int) -> int:
    """Return where the rows end that fold into the head `at`."""
    head, end = rows[at], at + 1
    while end < len(rows):
        row = rows[end]
        if row.depth < head.depth or (row.depth == head.depth and row.head in ("branch", head.head)):
            break
        end += 1
    return end


def head_of(rows: tuple[TimelineRow, ...], at: int) -> int | None:
    """Return the head that the row folds into: itself, or the nearest above it; None when there is none."""
    for number in range(at, -1, -1):
        if rows[number].head and fold_end(rows, number) > max(at, number + 1):
            return number
    return None


def heads(rows: tuple[TimelineRow, ...]) -> list[str]:
    """Return the keys of all heads below which there is something."""
    return [fold_key(row) for at, row in enumerate(rows) if row.head and fold_end(rows[at : at + 2], 0) > 1]


def fold_rows(drawn: TimelineRows, folded: Collection[str]) -> TimelineRows:
    """Return the rows without those that are folded away; each of their moments is found at its head."""
    if not folded:
        return drawn
    rows: list[TimelineRow] = []
    place: list[int] = []
    at = 0
    while at < len(drawn.rows):
        row, end = drawn.rows[at], at + 1
        if row.head and fold_key(row) in folded and (end := fold_end(drawn.rows, at)) > at + 1:
            row = replace(row, glyph=f"+ {row.glyph}".rstrip(), detail=_summary(drawn.rows[at + 1 : end], row))
        rows.append(row)
        place += [len(rows) - 1] * (end - at)
        at = end
    return TimelineRows(tuple(rows), {moment: place[index] for moment, index in drawn.index_of.items()})


def _summary(hidden: tuple[TimelineRow, ...], head: TimelineRow) -> str:
    """Count what is hidden, and repeat the row of it that tells most: a question that waits, else the last decision."""
    own = [row for row in hidden if row.depth == head.depth and row.glyph in _TELLING]
    telling = next((row for row in hidden if row.tone == "ask"), own[-1] if own else None)
    count = plural(len(hidden), "row")
    return f"{count}, {telling.text}" if telling is not None else count
