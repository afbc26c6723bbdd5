"""The table of sessions: filled in steps while they are read, filtered as one types, the cursor kept by session."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import DataTable, Input

from ..view.session_rows import cell, columns_at, matching, ordered

if TYPE_CHECKING:
    from selfheal_tui.store.sessions import SessionRow


class SessionsTable(DataTable[Content]):
    """The list; Enter opens the session under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "Open", id="sessions.open", tooltip="Open the session under the cursor")
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, cursor_type="row", show_header=True)
        self._all: dict[str, SessionRow] = {}
        self._words = ""
        self._columns_shown: list[tuple[str, str, int]] = []
        self._shown: object = None
        """Rows and columns as they were filled in last: a further letter often changes nothing."""

    @property
    def rows_known(self) -> list[SessionRow]:
        """All sessions that were read, filtered away or not."""
        return list(self._all.values())

    def show(self, rows: Iterable[SessionRow]) -> None:
        """Show these sessions."""
        self._all = {row.session_id: row for row in rows}
        self._fill()

    def filter(self, words: str) -> None:
        """Show only what holds every word."""
        self._words = words
        self._fill()

    def on_resize(self) -> None:
        """Fit the columns."""
        if columns_at(self.app.size.width) != self._columns_shown:
            self._fill()

    def current(self) -> SessionRow | None:
        """Return the session under the cursor."""
        if not self.row_count or not self.is_valid_row_index(self.cursor_row):
            return None
        return self._all.get(self.coordinate_to_cell_key(self.cursor_coordinate).row_key.value or "")

    def _fill(self) -> None:
        matching_rows = ordered(matching(self._all.values(), self._words))
        columns = columns_at(self.app.size.width)
        if (matching_rows, columns) == self._shown:
            return
        self._shown = (matching_rows, columns)
        moved = self.cursor_row > 0
        keep = self.current()
        if columns == self._columns_shown:
            self.clear()
        else:
            self.clear(columns=True)
            self._columns_shown = columns
            for name, heading, width in columns:
                self.add_column(heading, key=name, width=width)
        now = datetime.now(UTC)
        with self.app.batch_update():
            for row in matching_rows:
                cells = [cell(row, name, now).truncate(width, ellipsis=True) for name, _, width in columns]
                self.add_row(*cells, key=row.session_id)
        if moved and keep is not None and keep.session_id in self.rows:
            self.move_cursor(row=self.get_row_index(keep.session_id))


class SessionsFilter(Input):
    """A line that filters the table below while it is typed; arrows move in the table."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "screen.move(1)", "Down", show=False, id="filter.down", tooltip="The session below"),
        Binding("up", "screen.move(-1)", "Up", show=False, id="filter.up", tooltip="The session above"),
        Binding("escape", "screen.unfilter", "All", id="filter.clear", tooltip="Show all sessions again"),
    ]
