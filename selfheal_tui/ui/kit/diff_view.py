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
from selfheal_tui.ui.view.diff_rows import DiffRow, Side, build_diff_rows, count_changes, unify

from .code_highlight import emphasised, highlighted
from .line_view import Cell, LineView

Style = Literal["auto", "unified", "split"]

SPLIT_WIDTH = 110
"""From this width on, `auto` shows the two texts side by side."""
_NARROW = 60
_DIM = "$foreground 60%"

_REMOVED, _REMOVED_WORDS, _REMOVED_SIGN = "on $error 14%", "bold on $error 38%", "bold $text-error"
_ADDED, _ADDED_WORDS, _ADDED_SIGN = "on $success 14%", "bold on $success 34%", "bold $text-success"


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    rows: list[DiffRow]
    old: Sequence[Content]
    new: Sequence[Content]
    created: bool
    deleted: bool
    before: int
    """Hunks of the files before this one."""


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
        self._files: list[_File] = []
        self._style: Style = "auto"
        self._source: tuple[tuple[tuple[str, str, str], ...], Style] = ((), "auto")
        self._drawn: list[tuple[_File, DiffRow]] = []
        self._split = False
        self._left: Collection[int] | None = None
        self.hunks = 0
        """Hunks there are, over all files."""
        self.hunk = 1
        """The hunk under the cursor."""

    def show(self, files: Sequence[tuple[str, str, str]], style: Style = "auto") -> None:
        """Show `(path, old, new)` of each file; files that do not differ are left out.

        The same again changes nothing, so the place on the screen is kept.
        """
        if (tuple(files), style) == self._source:
            return
        self._source = (tuple(files), style)
        self._files, self.hunks, self.hunk, self._left = [], 0, 1, None
        for path, old, new in files:
            if old == new:
                continue
            rows, colours = build_diff_rows(old, new), (highlighted(path, old), highlighted(path, new))
            self._files.append(_File(path, rows, *colours, not old, not new, self.hunks))
            self.hunks += max(row.hunk for row in rows)
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

    def on_resize(self, event: events.Resize) -> None:
        self._lay_out()

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        row = place.y + self.scroll_offset.y if place is not None else -1
        if 0 <= row < len(self._drawn) and self._drawn[row][1].kind == "hunk":
            file, heading = self._drawn[row]
            self.hunk = file.before + heading.hunk
            self.refresh()
            self.post_message(self.Pressed(self.hunk))

    def action_hunk(self, step: int) -> None:
        """Move to another hunk; without a choice, scroll."""
        if self._left is None:
            self.scroll_relative(y=step, animate=False)
            return
        self.hunk = max(1, min(self.hunks, self.hunk + step))
        self.refresh()
        headings = [y for y, (_, row) in enumerate(self._drawn) if row.kind == "hunk"]
        y = headings[self.hunk - 1]
        height = (headings[self.hunk] if self.hunk < len(headings) else len(self._drawn)) - y
        self.scroll_to_region(
            Region(self.scroll_offset.x, y, 1, min(height, self.size.height)), animate=False, force=True
        )

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        if not self._drawn:
            return (Cell(Content.styled(" No change to show.", "$foreground 60%")),)
        file, row = self._drawn[y]
        if row.kind in ("fold", "note"):
            return (Cell(Content(""), _label(row.label, self._gutter_width(), width), "on $foreground 4%"),)
        if row.kind == "file":
            return (Cell(Content(""), _heading(file, width), "on $primary 20%"),)
        if row.kind == "hunk":
            return (self._box(file.before + row.hunk, width),)
        if self._left is not None and row.kind == "change" and file.before + row.hunk in self._left:
            return tuple(_faded(cell) for cell in self._change(file, row, width))
        return self._change(file, row, width)

    def _box(self, number: int, width: int) -> Cell:
        is_taken, here = number not in (self._left or ()), number == self.hunk
        parts = [
            Content.styled(" ▸ " if here else "   ", "bold $text-accent"),
            Content.styled("[x]" if is_taken else "[ ]", "bold $text-success" if is_taken else "bold $text-warning"),
            Content.styled(f" {number} of {self.hunks} {'taken' if is_taken else 'left out'}", "bold" if here else ""),
        ]
        if here:
            parts.append(Content.styled(f"   space {'leaves it out' if is_taken else 'takes it'} · j k others", _DIM))
        label = Content("").join(parts).truncate(width, ellipsis=True)
        return Cell(Content(""), label, "on $primary 22%" if here else "on $foreground 6%", copies=False)

    def _change(self, file: _File, row: DiffRow, width: int) -> tuple[Cell, ...]:
        if self._split:
            half = width // 2
            return (
                self._half(file.old, row.old, row.kind, "-", half),
                self._half(file.new, row.new, row.kind, "+", width - half),
            )
        return (self._column(file, row),)

    def _column(self, file: _File, row: DiffRow) -> Cell:
        old, new = row.old, row.new
        if row.kind == "same" or old is None:
            assert new is not None
            body = file.new[new.number - 1]
        else:
            body = file.old[old.number - 1]
        number = self._numbers(old, new)
        if row.kind == "same":
            return Cell(body, Content.styled(f"{number}   ", "$foreground 38%"))
        if old is None and new is not None:
            sign = Content.styled(" + ", _ADDED_SIGN)
            return Cell(
                emphasised(body, new.changed, _ADDED_WORDS),
                Content.styled(number, "$foreground 60%") + sign,
                _ADDED,
            )
        assert old is not None
        sign = Content.styled(" - ", _REMOVED_SIGN)
        return Cell(
            emphasised(body, old.changed, _REMOVED_WORDS),
            Content.styled(number, "$foreground 60%") + sign,
            _REMOVED,
        )

    def _numbers(self, old: Side | None, new: Side | None) -> str:
        digits = self._digits()
        first, second = (str(side.number) if side else "" for side in (old, new))
        if self.row_width < _NARROW:
            return f"{second or first:>{digits}}"
        return f"{first:>{digits}} {second:>{digits}}"

    def _half(self, lines: Sequence[Content], side: Side | None, kind: str, sign: str, width: int) -> Cell:
        digits = self._digits()
        copies = sign == "+"
        if side is None:
            gap = Content("╱" * (width - 1) + " ").stylize("$foreground 8%")
            return Cell(Content(""), gap, "", width, copies)
        body = lines[side.number - 1]
        if kind == "same":
            number = Content.styled(f"{side.number:>{digits}}   ", "$foreground 38%")
            return Cell(body, number, "", width, copies)
        tint, words, mark = (
            (_ADDED, _ADDED_WORDS, _ADDED_SIGN) if sign == "+" else (_REMOVED, _REMOVED_WORDS, _REMOVED_SIGN)
        )
        number = Content.styled(f"{side.number:>{digits}}", "$foreground 60%")
        gutter = number + Content.styled(f" {sign} ", mark)
        return Cell(emphasised(body, side.changed, words), gutter, tint, width, copies)

    def _lay_out(self) -> None:
        width = self.row_width
        self._split = self._style == "split" or (self._style == "auto" and width >= SPLIT_WIDTH)
        self._drawn = []
        widest = 0
        for file in self._files:
            if len(self._files) > 1:
                self._drawn.append((file, DiffRow("file")))
            hunk = 0
            for row in file.rows if self._split else unify(file.rows):
                if self._left is not None and row.hunk > hunk:
                    hunk = row.hunk
                    self._drawn.append((file, DiffRow("hunk", hunk=hunk)))
                self._drawn.append((file, row))
            sides = [side for row in file.rows for side in (row.old, row.new) if side is not None]
            widest = max([widest, *(len(side.text) for side in sides)])
        room = (width // 2 if self._split else width) - self._gutter_width()
        self.reset(max(1, len(self._drawn)), max(0, widest - room) if width else 0)

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


def _heading(file: _File, width: int) -> Content:
    added, removed = count_changes(file.rows)
    words = "  new file" if file.created else "  deleted" if file.deleted else ""
    parts = [
        Content.styled(f" {one_line(file.path)}", "bold"),
        Content.styled(f"{words}  +{added} −{removed}", "$foreground 60%"),
    ]
    return Content("").join(parts).truncate(width, ellipsis=True)
