"""What a model says and what the run does, as it comes: buffered, so that no flood of text slows the keys."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.content import Content
from textual.timer import Timer

from selfheal_tui.ui.code_lines import printable

from .line_view import Cell, LineView

FLUSH_S = 0.05
MAX_LINES = 5_000
"""Lines kept; the oldest go first."""
_LONGEST = 4_000
"""Characters of an unfinished line before it is broken, so that one endless line stays cheap."""


class Transcript(LineView):
    """Shows text as it arrives, wrapped; stays at the end unless the user scrolled up."""

    BORDER_TITLE: ClassVar[str] = "Log"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines: list[str] = []
        self._tail = ""
        """The unfinished line, raw: an escape sequence may arrive in two pieces."""
        self._arrived: list[str] = []
        self._drawn: list[str] = []
        self._drawn_of_tail = 0
        self._timer: Timer | None = None

    def append(self, text: str) -> None:
        """Add text that may end in the middle of a line."""
        self._arrived.append(text)
        if self._timer is not None:
            self._timer.resume()

    def write_line(self, text: str) -> None:
        """Add whole lines; an unfinished line before them is ended."""
        unfinished = self._arrived[-1] if self._arrived else self._tail
        self.append(("\n" if unfinished and not unfinished.endswith("\n") else "") + text + "\n")

    def clear(self) -> None:
        """Forget all text."""
        self._lines, self._tail, self._arrived, self._drawn, self._drawn_of_tail = [], "", [], [], 0
        self.reset(0)

    @property
    def text(self) -> str:
        """All text kept and shown so far, made printable."""
        return "\n".join([*self._lines, printable(self._tail)] if self._tail else self._lines)

    def on_mount(self) -> None:
        self._timer = self.set_interval(FLUSH_S, self._flush, pause=not self._arrived)

    def on_resize(self, event: events.Resize) -> None:
        at_end = self.is_vertical_scroll_end
        width = max(1, self.row_width)
        self._drawn = [piece for line in self._lines for piece in _wrap(line, width)]
        self._drawn_of_tail = 0
        self._draw_tail(width)
        self._settle(at_end)

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        return (Cell(Content(self._drawn[y], strip_control_codes=False)),)

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.pause()
        if not self._arrived:
            return
        at_end = self.is_vertical_scroll_end
        *ended, tail = (self._tail + "".join(self._arrived)).split("\n")
        self._arrived.clear()
        while len(tail) > _LONGEST:
            ended.append(tail[:_LONGEST])
            tail = tail[_LONGEST:]
        self._tail = tail
        width = max(1, self.row_width)
        del self._drawn[len(self._drawn) - self._drawn_of_tail :]
        self._drawn_of_tail = 0
        for raw in ended[-MAX_LINES:]:
            line = printable(raw.removesuffix("\r"))
            self._lines.append(line)
            self._drawn += _wrap(line, width)
        if len(self._lines) > MAX_LINES:
            self._lines = self._lines[-MAX_LINES:]
            self._drawn = [piece for line in self._lines for piece in _wrap(line, width)]
        self._draw_tail(width)
        self._settle(at_end)

    def _draw_tail(self, width: int) -> None:
        if self._tail:
            pieces = _wrap(printable(self._tail), width)
            self._drawn += pieces
            self._drawn_of_tail = len(pieces)

    def _settle(self, at_end: bool) -> None:
        self.reset(len(self._drawn))
        if at_end:
            self.scroll_end(animate=False, immediate=True, force=True, x_axis=False)


def _wrap(line: str, width: int) -> list[str]:
    """Cut a line into pieces of at most `width` screen cells, at spaces where that is possible."""
    if len(line) * 2 <= width or not line:
        return [line]
    return [piece.plain for piece in Content(line, strip_control_codes=False).wrap(width)] or [""]
