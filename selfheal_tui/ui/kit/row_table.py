"""A table whose rows are chosen: Home and End go to the first and the last row."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import DataTable


class RowTable(DataTable[Content]):
    """Textual's own goes to the first and the last column, which a cursor of rows does not show."""

    def action_scroll_home(self) -> None:
        """Go to the first row."""
        self.action_scroll_top()

    def action_scroll_end(self) -> None:
        """Go to the last row."""
        self.action_scroll_bottom()
