"""Before and after, side by side or in one column; where it is offered, hunks are taken and left."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region
from textual.message import Message

from selfheal_tui.text import one_line
from selfheal_tui.ui.view.diff_rows import Side, count_changes

from .code_highlight import emphasised
from .diff_lines import DiffFile, DrawnLine, build_diff_file, build_drawn_lines
from .line_view import Cell, LineView
from .wrapping import Piece, hanging

Style = Literal["auto", "unified", "split"]

SPLIT_WIDTH = 160
"""From this width of the terminal on, `auto` shows the two texts side by side."""
_NARROW = 60
_DIM = "$foreground 60%"

_REMOVED, _REMOVED_WORDS, _REMOVED_SIGN = "on $error 14%", "bold on $error 38%", "bold $text-error"
_ADDED, _ADDED_WORDS, _ADDED_SIGN = "on $success 14%", "bold on $success 34%", "bold $text-success"


class DiffView(LineView):
    """Shows how files change: numbers, signs and tints, changed words marked, unchanged runs folded.

    With `choose`, each hunk has a heading with a box that says whether it is taken.
    """

    BORDER_TITLE: ClassVar[str] = "Changes"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "hunk(1)", "Next hunk", id="diff.next", tooltip="Go to the next hunk, or down a line", show=False),
        Binding(
            "k", "hunk(-1)", "Last hunk", id="diff.back", tooltip="Go to the hunk before, or up a line", show=False
        ),
    ]

    @dataclass
    class Pressed(Message):
        """The user clicked on the heading of a hunk."""

        number: int

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._files: list[DiffFile] = []
        self._style: Style = "auto"
        self._source: tuple[tuple[tuple[str, str, str], ...], Style, bool] = ((), "auto", False)
        self._drawn: list[DrawnLine] = []
        """What stands in each line of the screen."""
        self._split = False
        self._room = 0
        """Cells for the text of a line."""
        self._left: Collection[int] | None = None
        self.hunks = 0
        """Hunks there are, over all files."""
        self.hunk = 1
        """The hunk under the cursor."""

    def show(self, files: Sequence[tuple[str, str, str]], style: Style = "auto", *, named: bool = False) -> None:
        """Show `(path, old, new)` of each file; files that do not differ are left out.

        Where only one differs its name stands above it if it is `named`.

        The same again changes nothing, so the place on the screen is kept.
        """
        if (tuple(files), style, named) == self._source:
            return
        self._source = (tuple(files), style, named)
        self._files, self.hunks, self.hunk, self._left = [], 0, 1, None
        for path, old, new in files:
            if old == new:
                continue
            file = build_diff_file(path, old, new, self.hunks)
            self._files.append(file)
            self.hunks += max(row.hunk for row in file.rows)
        self._style = style
        self._lay_out()
        self.scroll_to(0, 0, animate=False)

    @property
    def files(self) -> Sequence[tuple[str, str, str]]:
        """Path, old and new text of each file that was given to be shown."""
        return self._source[0]

    def choose(self, left_out: Collection[int] | None) -> None:
        """Offer to take and leave hunks, those numbered `left` being left; None offers nothing."""
        if left_out != self._left:
            self._left = left_out
            self._lay_out()

    def lay_out(self) -> None:
        """Wrap for the width there is; the row at the top stays there."""
        top = self._drawn[self.scroll_offset.y] if self.scroll_offset.y < len(self._drawn) else None
        self._lay_out()
        if top is not None and self.scroll_offset.y:
            y = next((y for y, line in enumerate(self._drawn) if line.row == top.row and line.file is top.file), None)
            if y is not None:
                self.scroll_to(y=y, animate=False, force=True)

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        row = place.y + self.scroll_offset.y if place is not None else -1
        if 0 <= row < len(self._drawn) and self._drawn[row].row.kind == "hunk":
            self.hunk = self._drawn[row].file.before + self._drawn[row].row.hunk
            self.refresh()
            self.post_message(self.Pressed(self.hunk))

    def action_hunk(self, step: int) -> None:
        """Move to another hunk; without a choice, scroll."""
        if self._left is None:
            self.scroll_relative(y=step, animate=False)
            return
        self.hunk = max(1, min(self.hunks, self.hunk + step))
        self.refresh()
        headings = [y for y, line in enumerate(self._drawn) if line.row.kind == "hunk"]
        y = headings[self.hunk - 1]
        height = (headings[self.hunk] if self.hunk < len(headings) else len(self._drawn)) - y
        self.scroll_to_region(
            Region(self.scroll_offset.x, y, 1, min(height, self.size.height)), animate=False, force=True
        )

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        if not self._drawn:
            return (Cell(Content.styled(" No change to show.", "$foreground 60%")),)
        line = self._drawn[y]
        file, row = line.file, line.row
        if row.kind in ("fold", "note"):
            return (Cell(Content(""), _label(row.label, self._gutter_width(), width), "on $foreground 4%"),)
        if row.kind == "file":
            return (Cell(Content(""), _heading(file, width), "on $primary 20%"),)
        if row.kind == "hunk":
            return (self._box(file.before + row.hunk, width),)
        if self._left is not None and row.kind == "change" and file.before + row.hunk in self._left:
            return tuple(_faded(cell) for cell in self._change(line, width))
        return self._change(line, width)

    def _box(self, number: int, width: int) -> Cell:
        is_taken, here = number not in (self._left or ()), number == self.hunk
        parts = [
            Content.styled(" ▸ " if here else "   ", "bold $text-accent"),
            Content.styled("[x]" if is_taken else "[ ]", "bold $text-success" if is_taken else "bold $text-warning"),
            Content.styled(
                f" hunk {number} of {self.hunks}: {'taken' if is_taken else 'left out'}", "bold" if here else ""
            ),
        ]
        if here:
            parts.append(Content.styled(f"   space {'leaves it out' if is_taken else 'takes it'} · j k others", _DIM))
        label = Content("").join(parts).truncate(width, ellipsis=True)
        return Cell(Content(""), label, "on $primary 22%" if here else "on $foreground 6%", copies=False)

    def _change(self, line: DrawnLine, width: int) -> tuple[Cell, ...]:
        if self._split:
            half = width // 2
            return self._half(line, "-", half), self._half(line, "+", width - half)
        return (self._column(line),)

    def _column(self, line: DrawnLine) -> Cell:
        row = line.row
        if row.new is not None:
            side, body, piece, sign = row.new, line.file.new, line.new, "+"
        else:
            assert row.old is not None
            side, body, piece, sign = row.old, line.file.old, line.old, "-"
        number = self._continued(line) if line.part else self._numbers(row.old, row.new)
        return self._cell(line, side, body, piece, sign, number)

    def _half(self, line: DrawnLine, sign: str, width: int) -> Cell:
        old = sign == "-"
        side, piece = (line.row.old, line.old) if old else (line.row.new, line.new)
        if side is None or piece is None:
            filler = "╱" * (width - 1) if side is None else " " * (width - 1)
            tint = "" if side is None or line.row.kind == "same" else _REMOVED if old else _ADDED
            return Cell(Content(""), Content(f"{filler} ").stylize("$foreground 8%"), tint, width, not old)
        number = self._continued(line) if line.part else f"{side.number:>{self._digits()}}"
        cell = self._cell(line, side, line.file.old if old else line.file.new, piece, sign, number)
        return replace(cell, width=width, copies=not old)

    def _cell(
        self, line: DrawnLine, side: Side, body: Sequence[Content], piece: Piece | None, sign: str, number: str
    ) -> Cell:
        """Return a side's part of a line: number, sign and the text, its changed words marked."""
        start, end = piece or (0, 0)
        text = body[side.number - 1]
        indent = Content(" " * hanging(side.text, self._room) if line.part else "")
        if line.row.kind == "same":
            return Cell(text[start:end], Content.styled(f"{number}   ", "$foreground 38%") + indent)
        tint, words, mark = (
            (_ADDED, _ADDED_WORDS, _ADDED_SIGN) if sign == "+" else (_REMOVED, _REMOVED_WORDS, _REMOVED_SIGN)
        )
        gutter = Content.styled(number, "$foreground 60%") + Content.styled(f" {sign} ", mark) + indent
        return Cell(emphasised(text, side.changed, words)[start:end], gutter, tint)

    def _continued(self, line: DrawnLine) -> str:
        """Return what stands in the place of the number where a line goes on: `↪`, after a gap `…`."""
        width = self._gutter_width() - 3
        return f"{'…' if line.gap else '↪':>{width}}"

    def _numbers(self, old: Side | None, new: Side | None) -> str:
        digits = self._digits()
        first, second = (str(side.number) if side else "" for side in (old, new))
        if self.row_width < _NARROW:
            return f"{second or first:>{digits}}"
        return f"{first:>{digits}} {second:>{digits}}"

    def _lay_out(self) -> None:
        width = self._laid_out_for = self.row_width
        self._split = self._style == "split" or (self._style == "auto" and self.app.size.width >= SPLIT_WIDTH)
        # A blank parts the left side from the right one.
        self._room = (width // 2 - 1 if self._split else width) - self._gutter_width()
        boxes, named = self._left is not None, self._source[2]
        self._drawn = build_drawn_lines(self._files, split=self._split, boxes=boxes, room=self._room, named=named)
        self.reset(max(1, len(self._drawn)))

    def _digits(self) -> int:
        return max([2, *(len(str(max(len(file.old), len(file.new)))) for file in self._files)])

    def _gutter_width(self) -> int:
        if self._split or self.row_width < _NARROW:
            return self._digits() + 3
        return 2 * self._digits() + 4


def _faded(cell: Cell) -> Cell:
    """Return a cell of a hunk that is left out: no tint, its signs stay."""
    body, gutter = (Content.styled(part.plain, "$foreground 38%") for part in (cell.body, cell.gutter))
    return replace(cell, body=body, gutter=gutter, tint="")


def _label(text: str, indent: int, width: int) -> Content:
    return Content.styled(" " * indent + text, "$foreground 60% italic").truncate(width, ellipsis=True)


def _heading(file: DiffFile, width: int) -> Content:
    added, removed = count_changes(file.rows)
    words = "  new file" if file.created else "  deleted" if file.deleted else ""
    parts = [
        Content.styled(f" {one_line(file.path)}", "bold"),
        Content.styled(f"{words}  +{added} −{removed}", "$foreground 60%"),
    ]
    return Content("").join(parts).truncate(width, ellipsis=True)
