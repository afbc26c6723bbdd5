"""Code to read, with the lines that matter marked, the reason beside or below them, and how suspicious each line is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import ClassVar

from textual.content import Content

from selfheal_tui.text import one_line

from .code_highlight import highlighted
from .line_view import Cell, LineView

_MARKED = "on $warning 16%"
_REACHED = "on $foreground 10%"
_FAINT = "$foreground 60%"
_BARS = "▁▂▃▄▅▆▇"
_CERTAIN = "█"
"""Stands where the score is 1 and nowhere else: every failing case runs the line, and no passing one does."""
LEGEND = "▁▃▅▇ suspicious · █ all failing cases run it, no passing one"


@dataclass(frozen=True, slots=True)
class _Row:
    path: str
    number: int
    """1-based; 0 on a heading and on a reason below its line."""
    body: Content
    why: str = ""
    """Reason shown at the right of the line."""
    marked: bool = False


class CodeView(LineView):
    """Shows files read-only; marked lines carry `▶`, a tint and their reason, suspicious ones a bar by their score.

    A line that a key picks carries the key before its arrow: `2▶`.
    """

    BORDER_TITLE: ClassVar[str] = "Code"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._files: dict[str, Sequence[Content]] = {}
        self._marks: Mapping[tuple[str, int], str] = {}
        self._scores: Mapping[tuple[str, int], float] = {}
        self._numbers: Mapping[tuple[str, int], str] = {}
        self._rows: list[_Row] = []
        self._nothing = ""
        """What is said where there is no line; nothing before it is known."""
        self._reached: tuple[str, int] | None = None
        self._source: Mapping[str, str] = {}
        self._placed: int | None = None
        """Where `goto` left the view; None while it has not been laid out. Scrolled elsewhere, the view stays there."""

    def show(
        self,
        files: Mapping[str, str],
        marks: Mapping[tuple[str, int], str] | None = None,
        scores: Mapping[tuple[str, int], float] | None = None,
        numbers: Mapping[tuple[str, int], str] | None = None,
    ) -> None:
        """Show the files, in their order; `marks` says per `(path, line)` why that line matters.

        `numbers` says which key picks a marked line, where one may choose.

        `scores` says how suspicious a line is, 0..1; without one of these files there is no column for it.

        The place on the screen is kept when the same files come again.
        """
        stay = list(files) == list(self._source)
        self._files = {
            path: self._files[path] if self._source.get(path) == text else highlighted(path, text)
            for path, text in files.items()
        }
        self._source, self._nothing = dict(files), " No code yet."
        self._marks, self._numbers = dict(marks or {}), dict(numbers or {})
        self._scores = {at: score for at, score in (scores or {}).items() if at[0] in files}
        self._lay_out()
        if not stay:
            self._reached = None
            self.scroll_to(0, 0, animate=False)
        self._stay_at_reached()

    @property
    def scored(self) -> bool:
        """Whether the gutter says how suspicious lines are."""
        return bool(self._scores)

    def goto(self, path: str, line: int) -> None:
        """Bring a line into the upper third of the view and lift it out; an unknown one changes nothing."""
        self._reached = (path, line)
        self._placed = None
        self.refresh()
        self.call_after_refresh(self._scroll_to_reached)

    def lay_out(self) -> None:
        """Lay the reasons out for the width there is, and keep the line that was reached in view."""
        self._lay_out()
        self._stay_at_reached()

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        if not self._rows:
            return (Cell(Content.styled(self._nothing, "$foreground 60%")),)
        row = self._rows[y]
        digits = self._digits()
        if row.number == 0 and not row.marked:
            return (Cell(Content(""), Content.styled(f" {one_line(row.path)}", "bold"), "on $primary 20%"),)
        if row.number == 0:
            return (Cell(Content(""), Content(" " * self._gutter()) + row.body, _MARKED),)
        arrow = Content.styled(self._arrow(row), "bold $text-warning") if row.marked else Content("  ")
        style = "bold $text-warning" if row.marked else "$foreground 38%"
        gutter = arrow + Content.styled(f"{row.number:>{digits}}", style) + self._bar(row) + Content(" ")
        tint = _MARKED if row.marked else _REACHED if self._reached == (row.path, row.number) else ""
        if row.why:
            side = Content.styled(f"  ◂ {row.why} ", "italic $foreground 60%")
            return (Cell(row.body, gutter, tint, width - side.cell_length), Cell(Content(""), side, tint))
        return (Cell(row.body, gutter, tint),)

    def _lay_out(self) -> None:
        width, rows = self.row_width, list[_Row]()
        self._laid_out_for = width
        gutter = self._gutter()
        widest = 0
        for path, lines in self._files.items():
            if len(self._files) > 1:
                rows.append(_Row(path, 0, Content("")))
            for number, body in enumerate(lines, 1):
                why = one_line(self._marks.get((path, number), ""), 400)
                marked = (path, number) in self._marks
                widest = max(widest, body.cell_length)
                beside = gutter + body.cell_length + len(why) + 6 <= width
                rows.append(_Row(path, number, body, why if beside else "", marked))
                if why and not beside:
                    rows += _reason_below(path, body, why, width - gutter - 1)
        self._rows = rows
        self.reset(max(1, len(rows)), max(0, widest + gutter - width) if width else 0)

    def _digits(self) -> int:
        return max([2, *(len(str(len(lines))) for lines in self._files.values())])

    def _gutter(self) -> int:
        """Return the width of what stands before the code."""
        return self._digits() + 3 + self.scored

    def _arrow(self, row: _Row) -> str:
        """Return the mark of a line in two cells; a key has one character."""
        number = self._numbers.get((row.path, row.number), "")
        return f"{number}▶" if len(number) == 1 else "▶ "

    def _bar(self, row: _Row) -> Content:
        if not self.scored:
            return Content("")
        score = self._scores.get((row.path, row.number), 0.0)
        if score <= 0:
            return Content(" ")
        bar = _CERTAIN if score >= 1 else _BARS[int(score * len(_BARS))]
        return Content.styled(bar, "$text-error" if score >= 0.75 else "$text-warning" if score >= 0.4 else _FAINT)

    def _stay_at_reached(self) -> None:
        if self._reached is not None and self._placed in (None, self.scroll_offset.y):
            self.call_after_refresh(self._scroll_to_reached)

    def _scroll_to_reached(self) -> None:
        if not self.row_width:
            return
        wanted = self._reached
        at = next((y for y, row in enumerate(self._rows) if (row.path, row.number) == wanted), None)
        if at is not None:
            self.scroll_to(0, max(0, at - self.size.height // 3), animate=False, force=True)
            self._placed = self.scroll_offset.y


def _reason_below(path: str, body: Content, why: str, room: int) -> list[_Row]:
    plain = body.plain
    indent = min(len(plain) - len(plain.lstrip()), max(0, room - 24))
    lines = wrap(why, max(12, room - indent - 2)) or [why]
    return [
        _Row(
            path,
            0,
            Content.styled(" " * indent + ("╰ " if n == 0 else "  ") + line, "italic $foreground 60%"),
            marked=True,
        )
        for n, line in enumerate(lines)
    ]
