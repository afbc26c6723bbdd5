"""From the rows of a diff to the lines on the screen: which row, and which part of it, each line draws. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual.content import Content

from selfheal_tui.ui.view.diff_rows import DiffRow, Side, build_diff_rows, unify

from .code_highlight import highlighted
from .wrapping import Piece, pieces


@dataclass(frozen=True, slots=True)
class DiffFile:
    """A file that differs, in rows and in colour."""

    path: str
    rows: list[DiffRow]
    old: Sequence[Content]
    new: Sequence[Content]
    created: bool
    deleted: bool
    before: int
    """Hunks of the files before this one."""


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line on the screen: a row, or a part of one that is too long for a line."""

    file: DiffFile
    row: DiffRow
    part: int = 0
    """0 is where the row begins."""
    old: Piece | None = None
    """Characters of the old line that stand here; None for none."""
    new: Piece | None = None
    gap: bool = False
    """Something of the row is left out just before this part."""


def build_diff_file(path: str, old: str, new: str, before: int) -> DiffFile:
    """Compare two texts of a file."""
    colours = highlighted(path, old), highlighted(path, new)
    return DiffFile(path, build_diff_rows(old, new), *colours, not old, not new, before)


def build_drawn_lines(
    files: Sequence[DiffFile], *, split: bool, boxes: bool, room: int, named: bool = False
) -> list[DrawnLine]:
    """Return the lines of all files; `boxes` puts a heading before each hunk, `named` one before a file alone, too.

    `room` is how many cells there are for the text. Side by side, a row is as high as the higher of its sides.
    """
    lines: list[DrawnLine] = []
    for file in files:
        if len(files) > 1 or named:
            lines.append(DrawnLine(file, DiffRow("file")))
        hunk = 0
        for row in file.rows if split else unify(file.rows):
            if boxes and row.hunk > hunk:
                hunk = row.hunk
                lines.append(DrawnLine(file, DiffRow("hunk", hunk=hunk)))
            lines += _parts(file, row, room)
    return lines


def _parts(file: DiffFile, row: DiffRow, room: int) -> Iterator[DrawnLine]:
    old, new = _pieces(row.old, room), _pieces(row.new, room)
    for part in range(max(1, len(old), len(new))):
        gap = any(part and part < len(side) and side[part][0] > side[part - 1][1] for side in (old, new))
        yield DrawnLine(
            file, row, part, old[part] if part < len(old) else None, new[part] if part < len(new) else None, gap
        )


def _pieces(side: Side | None, room: int) -> list[Piece]:
    return [] if side is None else pieces(side.text, room, side.changed)
