"""Before and after, side by side or in one column; for reading only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import events
from textual.content import Content

from selfheal_tui.text import one_line
from selfheal_tui.ui.diff_rows import DiffRow, Side, build_diff_rows, count_changes, unify

from .code_highlight import emphasised, highlighted
from .line_view import Cell, LineView

Style = Literal["auto", "unified", "split"]

SPLIT_WIDTH = 110
"""From this width on, `auto` shows the two texts side by side."""
_NARROW = 60

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


class DiffView(LineView):
    """Shows how files change: numbers, signs and tints, changed words marked, unchanged runs folded."""

    BORDER_TITLE: ClassVar[str] = "Changes"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._files: list[_File] = []
        self._style: Style = "auto"
        self._source: tuple[tuple[tuple[str, str, str], ...], Style] = ((), "auto")
        self._drawn: list[tuple[_File, DiffRow]] = []
        self._split = False

    def show(self, files: Sequence[tuple[str, str, str]], style: Style = "auto") -> None:
        """Show `(path, old, new)` of each file; files that do not differ are left out.

        The same again changes nothing, so the place on the screen is kept.
        """
        if (tuple(files), style) == self._source:
            return
        self._source = (tuple(files), style)
        self._files = [
            _File(
                path,
                build_diff_rows(old, new),
                highlighted(path, old),
                highlighted(path, new),
                not old,
                not new,
            )
            for path, old, new in files
            if old != new
        ]
        self._style = style
        self._lay_out()
        self.scroll_to(0, 0, animate=False)

    @property
    def files(self) -> Sequence[tuple[str, str, str]]:
        """Path, old and new text of each file that was given to be shown."""
        return self._source[0]

    def on_resize(self, event: events.Resize) -> None:
        self._lay_out()

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        if not self._drawn:
            return (Cell(Content.styled(" No change to show.", "$foreground 60%")),)
        file, row = self._drawn[y]
        if row.kind in ("fold", "note"):
            return (Cell(Content(""), _label(row.label, self._gutter_width(), width), "on $foreground 4%"),)
        if row.kind == "file":
            return (Cell(Content(""), _heading(file, width), "on $primary 20%"),)
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
            rows = file.rows if self._split else unify(file.rows)
            self._drawn += [(file, row) for row in rows]
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


def _label(text: str, indent: int, width: int) -> Content:
    return Content.styled(" " * indent + text, "$foreground 60% italic").truncate(width, ellipsis=True)


def _heading(file: _File, width: int) -> Content:
    added, removed = count_changes(file.rows)
    what = "  new file" if file.created else "  deleted" if file.deleted else ""
    parts = [
        Content.styled(f" {one_line(file.path)}", "bold"),
        Content.styled(f"{what}  +{added} −{removed}", "$foreground 60%"),
    ]
    return Content("").join(parts).truncate(width, ellipsis=True)
