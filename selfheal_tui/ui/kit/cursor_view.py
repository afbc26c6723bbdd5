"""A line view with a cursor row; the base of the timeline and of the list of cases."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region

from .line_view import LineView


class CursorView(LineView):
    """A line view with a cursor row that the keys and the mouse move."""

    DEFAULT_CSS = """
    CursorView > .cursor-view--cursor { background: $foreground 10%; }
    CursorView:focus > .cursor-view--cursor { background: $block-cursor-background 35%; text-style: bold; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"cursor-view--cursor"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", id="cursor.up", tooltip="Move to the row above", show=False),
        Binding("down,j", "move(1)", "Down", id="cursor.down", tooltip="Move to the row below", show=False),
        Binding("home,g", "move_to(0)", "First", id="cursor.first", tooltip="Move to the first row", show=False),
        Binding("end,G", "move_to(-1)", "Last", id="cursor.last", tooltip="Move to the last row", show=False),
        Binding("pageup", "move_page(-1)", "Page up", id="cursor.page_up", tooltip="Move up one page", show=False),
        Binding(
            "pagedown",
            "move_page(1)",
            "Page down",
            id="cursor.page_down",
            tooltip="Move down one page",
            show=False,
        ),
        Binding(
            "enter",
            "choose",
            "Choose",
            id="cursor.choose",
            tooltip="Choose the row under the cursor",
            show=False,
        ),
    ]

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.cursor = 0

    def cursor_moved(self, row: int) -> None:
        """React to a move by the user."""

    def row_chosen(self, row: int) -> None:
        """React to Enter or a click on a row."""

    def place_cursor(self, row: int) -> None:
        """Put the cursor on a row without telling anybody, and bring the row into view."""
        self.cursor = max(0, min(row, self._row_count - 1))
        self.refresh()
        self.call_after_refresh(self._show_cursor)

    def cursor_tint(self, y: int) -> str:
        """Return the style of row `y`: the cursor's or none."""
        return ".cursor-view--cursor" if y == self.cursor else ""

    def action_move(self, by: int) -> None:
        self._move_to(self.cursor + by)

    def action_move_to(self, row: int) -> None:
        self._move_to(self._row_count - 1 if row < 0 else row)

    def action_move_page(self, by: int) -> None:
        self._move_to(self.cursor + by * max(1, self.scrollable_content_region.height - 1))

    def action_choose(self) -> None:
        if self._row_count:
            self.row_chosen(self.cursor)

    def on_click(self, event: events.Click) -> None:
        row = event.get_content_offset(self)
        if row is None or not 0 <= row.y + self.scroll_offset.y < self._row_count:
            return
        event.stop()
        self._move_to(row.y + self.scroll_offset.y)
        self.row_chosen(self.cursor)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._show_cursor)

    def _move_to(self, row: int) -> None:
        row = max(0, min(row, self._row_count - 1))
        if row == self.cursor or not self._row_count:
            return
        self.cursor = row
        self._show_cursor()
        self.refresh()
        self.cursor_moved(row)

    def _show_cursor(self) -> None:
        self.scroll_to_region(Region(self.scroll_offset.x, self.cursor, 1, 1), animate=False, force=True)
