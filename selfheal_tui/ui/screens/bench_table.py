"""A table of benchmark runs or tasks: it is filled again as they change, and the cursor stays on its row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from ..kit.row_table import RowTable
from ..kit.text_line import TextLine
from ..view.bench_rows import Column


class BenchTable(RowTable):
    """Enter opens what is under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "Open", id="bench.open", tooltip="Open what is under the cursor")
    ]
    DEFAULT_CSS = """
    BenchTable { height: 1fr; padding: 0 1; background: $background; background-tint: $background 0%; }
    BenchTable > .datatable--header { background: $background; color: $text-muted; text-style: none; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, cursor_type="row", show_header=True)
        self._shown: tuple[list[Column], dict[str, list[Content]]] = ([], {})

    def show(self, columns: Sequence[Column], rows: Mapping[str, Sequence[Content]], *, at: str = "") -> None:
        """Show these rows, key -> cells; the cursor goes to the row `at`, else stays on its own."""
        cells = {
            key: [cell.truncate(column.width, ellipsis=True) for column, cell in zip(columns, row, strict=True)]
            for key, row in rows.items()
        }
        before, same_columns = self._shown[1], list(columns) == self._shown[0]
        self._shown = (list(columns), cells)
        if same_columns and before and not at and list(cells.items())[: len(before)] == list(before.items()):
            for key in list(cells)[len(before) :]:
                self.add_row(*cells[key], key=key)
            return
        keep, row_before, top = at or self.current(), self.cursor_row, self.scroll_offset.y
        with self.app.batch_update():
            self.clear(columns=not same_columns)
            if not same_columns:
                for column in columns:
                    self.add_column(column.heading, key=column.name, width=column.width)
            for key, row_cells in cells.items():
                self.add_row(*row_cells, key=key)
            if keep in self.rows:
                self.move_cursor(row=self.get_row_index(keep), scroll=bool(at))
            elif cells:
                self.move_cursor(row=min(row_before, len(cells) - 1), scroll=False)
            if not at:
                self.scroll_to(y=top, animate=False)

    def current(self) -> str:
        """Return the key under the cursor; empty for none."""
        if not self.row_count or not self.is_valid_row_index(self.cursor_row):
            return ""
        return self.coordinate_to_cell_key(self.cursor_coordinate).row_key.value or ""


class BenchFilter(TextLine):
    """A line that filters the table below while it is typed; arrows move in the table."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "screen.move(1)", "Down", show=False, id="bench_filter.down", tooltip="The task below"),
        Binding("up", "screen.move(-1)", "Up", show=False, id="bench_filter.up", tooltip="The task above"),
        Binding("escape", "screen.unfilter", "All", id="bench_filter.clear", tooltip="Show all tasks again"),
    ]
