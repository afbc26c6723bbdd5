"""The rows of a picker: what can be taken, and which are marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from textual.content import Content

from selfheal_tui.text import one_line

from ..view.picks import Pick
from .cursor_view import CursorView
from .line_view import Cell

_WIDEST = 44
"""Cells of the first column; a longer text is cut."""
_DIM = "$foreground 60%"


class PickerList(CursorView, can_focus=False):
    """Draws the rows; the line above has the keyboard, and the mouse takes a row here."""

    DEFAULT_CSS = "PickerList { background: $boost; }"

    def __init__(
        self, moved: Callable[[], None], chosen: Callable[[], None], turned: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(classes="picker-list")
        self.rows: Sequence[Pick] = ()
        self.marked: set[str] = set()
        self.several = False
        self._moved, self._chosen, self._turned = moved, chosen, turned
        self._text_width = 0

    def show(self, rows: Sequence[Pick], keep: str | None = None) -> None:
        """Draw other rows; the cursor stays on the value `keep` where that is among them, else goes to the first."""
        self.rows = rows
        self._text_width = min(_WIDEST, max((len(one_line(row.text)) for row in rows), default=0))
        self.reset(len(rows))
        self.place_cursor(next((n for n, row in enumerate(rows) if row.value == keep), 0))

    @property
    def current(self) -> Pick | None:
        """The row under the cursor; None in an empty list."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def whole(self, row: Pick) -> str:
        """Return a row in full where the list cuts it; empty where it stands there whole."""
        text, why = one_line(row.text), one_line(row.why, 400)
        shown = 1 + 4 * self.several + max(cell_len(text), self._text_width) + (2 + cell_len(why) if why else 0)
        room = self.scrollable_content_region.width
        return f"{text}: {why}" if why and 0 < room < shown else text if 0 < room < shown else ""

    def mark(self) -> None:
        """Mark the row under the cursor, or take its mark away."""
        if self.current is not None:
            self.marked ^= {self.current.value}
            self.refresh()
            self._turned()

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        if y >= len(self.rows):
            return (Cell(Content("")),)
        row = self.rows[y]
        box = ("[x] " if row.value in self.marked else "[ ] ") if self.several else ""
        text = Content.styled(one_line(row.text).ljust(self._text_width), "" if row.ready else _DIM)
        why = Content.styled(f"  {one_line(row.why, 400)}" if row.why else "", _DIM)
        pointer = Content.styled("›" if y == self.cursor else " ", "bold $text-accent")
        return (Cell(Content("").join([Content(box), text, why]), pointer, self.cursor_tint(y)),)

    def cursor_moved(self, row: int) -> None:
        self._moved()

    def row_chosen(self, row: int) -> None:
        self._chosen()
