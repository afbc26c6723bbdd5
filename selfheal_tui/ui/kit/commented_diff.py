"""A diff whose lines can be commented: a cursor on its lines, and each comment below the line that it is about."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region

from selfheal_tui.text import one_line
from selfheal_tui.ui.view.diff_rows import DiffRow

from .diff_lines import DrawnLine
from .diff_view import DiffView, Style
from .line_view import Cell
from .wrapping import pieces

_CURSOR = "on $block-cursor-background 45%"
_COMMENT = "on $accent 18%"
_LEAD = "  ✎ "


class Place(NamedTuple):
    """A line of a diff."""

    path: str
    line: int
    """1-based, in the new text; with `removed`, in the old one."""
    removed: bool = False


class CommentedDiff(DiffView):
    """Shows comments below their lines; while they can be written, a cursor stands on a line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "line(-1)", "Up", id="diff.up", tooltip="Go up a line", show=False),
        Binding("down", "line(1)", "Down", id="diff.down", tooltip="Go down a line", show=False),
    ]

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._comments: Mapping[Place, str] = {}
        self._has_cursor = False
        self._cursor: tuple[str, DiffRow] | None = None
        """Path and row that the cursor is on."""
        self._cursor_y: int | None = None
        """The line of the screen where that row begins."""

    def show(self, files: Sequence[tuple[str, str, str]], style: Style = "auto", *, named: bool = False) -> None:
        """Show these files; the cursor stands on the first change of others than before."""
        if (tuple(files), style, named) != self._source:
            self._cursor = None
        super().show(files, style, named=named)

    def reach_cursor(self) -> None:
        """Bring the cursor to what is on the screen, where it was scrolled away from."""
        top, bottom = self.scroll_offset.y, self.scroll_offset.y + self.size.height
        if self._cursor_y is not None and not top <= self._cursor_y < bottom:
            near = next((y for y in self._stops if top <= y < bottom), None)
            if near is not None:
                self._put_cursor(near)

    def comment(self, comments: Mapping[Place, str] | None) -> None:
        """Show these comments, and let them be written; None offers no cursor and shows none."""
        offered = comments is not None
        if (dict(comments or {}), offered) != (self._comments, self._has_cursor):
            self._comments, self._has_cursor = dict(comments or {}), offered
            self._lay_out()

    @property
    def place(self) -> Place | None:
        """The line under the cursor; of a hunk's heading the first line that it changes."""
        y = self._cursor_y
        if y is None:
            return None
        line = next((one for one in self._drawn[y:] if one.row.kind in ("same", "change")), None)
        return _place(line) if line is not None else None

    def text_at(self, place: Place) -> str:
        """Return the text of a line that is drawn; empty when it is not."""
        for line in self._drawn:
            if line.row.kind in ("same", "change") and _place(line) == place:
                side = line.row.old if place.removed else line.row.new
                return side.text if side is not None else ""
        return ""

    def action_line(self, step: int) -> None:
        """Move the cursor by lines; without one, scroll."""
        y = self._cursor_y
        if y is None:
            self.scroll_relative(y=step, animate=False)
            return
        stops = self._stops
        at = stops.index(y) + step
        if 0 <= at < len(stops):
            self._put_cursor(stops[at])
        else:
            self.scroll_relative(y=step, animate=False)

    def action_hunk(self, step: int) -> None:
        """Move to another hunk; where there is nothing to choose, by a line."""
        if self._left is None:
            self.action_line(step)
            return
        super().action_hunk(step)
        headings = [y for y, line in enumerate(self._drawn) if line.row.kind == "hunk"]
        self._point(headings[self.hunk - 1])

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        y = place.y + self.scroll_offset.y if place is not None else -1
        if self._has_cursor and 0 <= y < len(self._drawn):
            above = [stop for stop in self._stops if stop <= y]
            if above:
                self._put_cursor(above[-1])

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        if self._drawn and self._drawn[y].row.kind == "comment":
            line = self._drawn[y]
            lead = Content.styled(_LEAD if line.part == 0 else " " * len(_LEAD), "bold $text-accent")
            return (Cell(Content(line.row.label), lead, _COMMENT, copies=False),)
        cells = super().row(y, width)
        if not self._is_cursor(y):
            return cells
        return tuple(replace(cell, tint=_CURSOR) for cell in cells)

    @property
    def _stops(self) -> list[int]:
        """The lines of the screen that the cursor can be on."""
        kinds: Collection[str] = ("same", "change", "hunk")
        return [y for y, line in enumerate(self._drawn) if line.part == 0 and line.row.kind in kinds]

    def _find_cursor(self) -> int | None:
        """Return where the cursor's row begins; at first that is the first change."""
        if not self._has_cursor:
            return None
        stops = self._stops
        here = (y for y in stops if (self._drawn[y].file.path, self._drawn[y].row) == self._cursor)
        return next(here, next((y for y in stops if self._drawn[y].row.kind in ("change", "hunk")), None))

    def _is_cursor(self, y: int) -> bool:
        start = self._cursor_y
        line = self._drawn[y] if self._drawn else None
        return start is not None and line is not None and y - line.part == start

    def _put_cursor(self, y: int) -> None:
        line = self._drawn[y]
        if self._left is not None and line.row.hunk:
            self.hunk = line.file.before + line.row.hunk
        self._point(y)
        self.scroll_to_region(Region(self.scroll_offset.x, y, 1, 1), animate=False, force=True)

    def _point(self, y: int) -> None:
        self._cursor, self._cursor_y = (self._drawn[y].file.path, self._drawn[y].row), y
        self.refresh()

    def _lay_out(self) -> None:
        super()._lay_out()
        if self._comments:
            self._put_comments()
        self._cursor_y = self._find_cursor()

    def _put_comments(self) -> None:
        drawn: list[DrawnLine] = []
        for y, line in enumerate(self._drawn):
            drawn.append(line)
            ends = y + 1 == len(self._drawn) or self._drawn[y + 1].part == 0
            if ends and line.row.kind in ("same", "change"):
                for place in _places(line):
                    drawn += self._comment_lines(line, place)
        self._drawn = drawn
        self.reset(max(1, len(drawn)))

    def _comment_lines(self, line: DrawnLine, place: Place) -> list[DrawnLine]:
        """Return the lines that a comment takes."""
        text = one_line(self._comments.get(place, ""), 1_000)
        parts = pieces(text, max(1, self.row_width - len(_LEAD))) if text else []
        return [
            DrawnLine(line.file, DiffRow("comment", label=text[start:end]), part)
            for part, (start, end) in enumerate(parts)
        ]


def _place(line: DrawnLine) -> Place:
    """Return the place that a comment on a line has: the new text's, where it has one."""
    return _places(line)[0]


def _places(line: DrawnLine) -> list[Place]:
    row, path = line.row, line.file.path
    new = [Place(path, row.new.number)] if row.new is not None else []
    gone = row.kind == "change" and row.old is not None
    return [*new, *([Place(path, row.old.number, removed=True)] if gone and row.old is not None else [])]
