"""The table of sessions: filled in steps while they are read, filtered as one types, the cursor kept by session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from ..kit.row_table import RowTable
from ..kit.text_line import TextLine
from ..view.session_rows import cell, columns_at, matching, ordered

if TYPE_CHECKING:
    from selfheal_tui.store.sessions import SessionRow


class SessionsTable(RowTable):
    """The list; Enter opens the session under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "Open", id="sessions.open", tooltip="Open the session under the cursor")
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, cursor_type="row", show_header=True)
        self._all: dict[str, SessionRow] = {}
        self._words = ""
        self._columns_shown: list[tuple[str, str, int]] = []
        self._cells: dict[str, list[Content]] = {}
        """Session -> its cells as they stand there: only what differs is drawn again."""

    @property
    def rows_known(self) -> list[SessionRow]:
        """All sessions that were read, filtered away or not."""
        return list(self._all.values())

    def show(self, rows: Iterable[SessionRow], *, stay: bool = False, at: str = "") -> None:
        """Show these sessions; with `stay` the cursor stays on its session even at the top of the list.

        When that session is gone, the cursor stays on its row: on the next session. `at` names another session for it.
        """
        self._all = {row.session_id: row for row in rows}
        self._fill(stay=stay, at=at)

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

    def _fill(self, *, stay: bool = False, at: str = "") -> None:
        columns = columns_at(self.app.size.width)
        now = datetime.now(UTC)
        cells = {
            row.session_id: [cell(row, name, now).truncate(width, ellipsis=True) for name, _, width in columns]
            for row in ordered(matching(self._all.values(), self._words))
        }
        before, self._cells = self._cells, cells
        if columns == self._columns_shown and list(before) == list(cells):
            self._update(before, columns)
            return
        current = self.current() if stay or self.cursor_row > 0 else None
        keep, row_before, top = at or (current.session_id if current else ""), self.cursor_row, self.scroll_offset.y
        if columns == self._columns_shown:
            self.clear()
        else:
            self.clear(columns=True)
            self._columns_shown = columns
            for name, heading, width in columns:
                self.add_column(heading, key=name, width=width)
        with self.app.batch_update():
            for session_id, row_cells in cells.items():
                self.add_row(*row_cells, key=session_id)
            if keep in self.rows:
                self.move_cursor(row=self.get_row_index(keep), scroll=not stay)
            elif stay and cells:
                self.move_cursor(row=min(row_before, len(cells) - 1), scroll=False)
            if stay:
                self.scroll_to(y=top, animate=False)

    def _update(self, before: Mapping[str, list[Content]], columns: Sequence[tuple[str, str, int]]) -> None:
        """Draw the cells that say something else than before."""
        for session_id, row_cells in self._cells.items():
            for (name, _, _), old, new in zip(columns, before[session_id], row_cells, strict=True):
                if old != new:
                    self.update_cell(session_id, name, new)


class SessionsFilter(TextLine):
    """A line that filters the table below while it is typed; arrows move in the table."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "screen.move(1)", "Down", show=False, id="filter.down", tooltip="The session below"),
        Binding("up", "screen.move(-1)", "Up", show=False, id="filter.up", tooltip="The session above"),
        Binding("escape", "screen.unfilter", "All", id="filter.clear", tooltip="Show all sessions again"),
    ]
