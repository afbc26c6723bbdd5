"""Long text to read: wrapped, drawn line by line, with headings; a megabyte of it scrolls like a page."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.content import Content

from selfheal_tui.ui.view.code_lines import printable

from .line_view import Cell, LineView

Part = tuple[str, str]
"""Text, style."""
_LONGEST = 20_000
"""Characters of a line before it is broken without regard to words."""


class ReadingView(LineView):
    """Shows parts of text below each other, each in its style; foreign text stays text."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: list[Part] = []
        self._drawn: list[Part] = []

    def show(self, parts: Sequence[Part]) -> None:
        """Show these parts from the top."""
        lines = [(line, style) for text, style in parts for line in printable(text).split("\n")]
        if lines == self._lines:
            return
        self._lines = lines
        self._lay_out()
        self.scroll_to(0, 0, animate=False)

    @property
    def text(self) -> str:
        """All text shown."""
        return "\n".join(line for line, _ in self._lines)

    def on_resize(self, event: events.Resize) -> None:
        self._lay_out()

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        if y >= len(self._drawn):
            return (Cell(Content("")),)
        line, style = self._drawn[y]
        return (Cell(Content.styled(line, style, strip_control_codes=False), Content(" ")),)

    def _lay_out(self) -> None:
        # Without a size there is nobody to wrap for, and a Resize to come: a megabyte is not cut cell by cell.
        width = max(1, self.row_width - 1)
        lines = self._lines if self.row_width else []
        self._drawn = [(piece, style) for line, style in lines for piece in _wrap(line, width)]
        self.reset(max(1, len(self._drawn)))


def _wrap(line: str, width: int) -> list[str]:
    if len(line) * 2 <= width or not line:
        return [line]
    pieces = [line[at : at + _LONGEST] for at in range(0, len(line), _LONGEST)]
    return [wrapped.plain for piece in pieces for wrapped in Content(piece, strip_control_codes=False).wrap(width)]
