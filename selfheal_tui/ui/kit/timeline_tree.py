"""The session's history as a tree of rows; the user walks it, the screen shows what was then."""

from __future__ import annotations

from collections.abc import Set
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from selfheal_tui.engine.moment.timeline import Timeline, uncollected
from selfheal_tui.ui.view.timeline_folds import fold_end, fold_key, fold_rows, head_of, heads
from selfheal_tui.ui.view.timeline_rows import TimelineRow, TimelineRows, build_timeline_rows

from .cursor_view import CursorView
from .line_view import Cell

_TONES = {
    "plain": "$foreground",
    "good": "$text-success",
    "bad": "$text-error",
    "ask": "bold $text-warning",
    "quiet": "$foreground 60%",
    "branch": "bold $text-accent",
}

_SHORTEST_DETAIL = 10
"""Cells; a detail that must be cut to less is left out."""


class TimelineTree(CursorView):
    """Draws a `Timeline`; the row of the shown position carries `▸`."""

    DEFAULT_CSS = "TimelineTree { min-width: 20; overflow-x: hidden; scrollbar-gutter: auto; }"
    BORDER_TITLE: ClassVar[str] = "Timeline"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "fold", "Fold", id="timeline.fold", tooltip="Fold the iteration or branch of this row"),
        Binding("right,l", "unfold", "Unfold", show=False, id="timeline.unfold", tooltip="Unfold this row"),
        Binding(
            "shift+left", "fold_all", "Fold all", show=False, id="timeline.fold_all", tooltip="Fold every iteration"
        ),
        Binding("shift+right", "unfold_all", "Unfold all", show=False, id="timeline.unfold_all", tooltip="Unfold all"),
    ]

    FOOTER = ("timeline.fold", "timeline.unfold", "run.search", "run.fork")
    """Bindings that the footer names first while this has the focus."""

    class Highlighted(Message):
        """The user moved the cursor to another moment."""

        def __init__(self, checkpoint_id: str) -> None:
            super().__init__()
            self.checkpoint_id = checkpoint_id

    class Chosen(Message):
        """The user pressed Enter on a moment, or clicked it."""

        def __init__(self, checkpoint_id: str) -> None:
            super().__init__()
            self.checkpoint_id = checkpoint_id

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._unfolded = TimelineRows((), {})
        self._drawn = self._unfolded
        self._folded: Set[str] = frozenset()
        self._position: str | None = None
        self.nothing = "Opening…"
        """What is said while there is no row."""

    def show(self, timeline: Timeline, position: str | None) -> None:
        """Draw the timeline; the cursor follows `position` when it changed, else stays on its moment."""
        under_cursor = self.current
        with uncollected():
            self._unfolded = build_timeline_rows(timeline, position)
            self._drawn = fold_rows(self._unfolded, self._folded)
        moved, self._position = position != self._position, position
        self.reset(max(1, len(self._drawn.rows)))
        at = position if moved and position is not None else under_cursor
        self.place_cursor(self._drawn.index_of.get(at or "", self.cursor))

    @property
    def current(self) -> str | None:
        """Checkpoint id under the cursor; None while nothing is drawn."""
        rows = self._drawn.rows
        return rows[self.cursor].checkpoint_id if self.cursor < len(rows) else None

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        if y >= len(self._drawn.rows):
            return (Cell(Content(f" {self.nothing}").stylize("$foreground 60%")),)
        row = self._drawn.rows[y]
        here = self._position is not None and self._drawn.index_of.get(self._position) == y
        count = Content(f" #{row.iteration} ").stylize("$foreground 60%") if row.iteration is not None else Content("")
        mark = Content.styled("▸", "bold $text-accent") if here else Content(" ")
        room = max(0, width - count.cell_length - 1)
        tint = self.cursor_tint(y)
        return (
            Cell(_line(row, room), mark, tint, width - count.cell_length),
            Cell(count, tint=tint),
        )

    def reveal(self, checkpoint_id: str) -> None:
        """Unfold what hides a moment, and put the cursor on it; nobody is told."""
        at, rows = self._unfolded.index_of.get(checkpoint_id), self._unfolded.rows
        if at is None:
            return
        over = {key for n in range(at) if (key := fold_key(rows[n])) in self._folded and fold_end(rows, n) > at}
        self._fold(self._folded - over, checkpoint_id)

    def action_fold(self) -> None:
        at = head_of(self._drawn.rows, self.cursor) if self._drawn.rows else None
        if at is not None:
            row = self._drawn.rows[at]
            self._fold(self._folded | {fold_key(row)}, row.checkpoint_id)

    def action_unfold(self) -> None:
        if self._drawn.rows:
            row = self._drawn.rows[self.cursor]
            self._fold(self._folded - {fold_key(row)}, row.checkpoint_id)

    def action_fold_all(self) -> None:
        self._fold(set(heads(self._unfolded.rows)), self.current)

    def action_unfold_all(self) -> None:
        self._fold(set(), self.current)

    def on_click(self, event: events.Click) -> None:
        """Fold or unfold where the glyph of a head is clicked, else choose the row."""
        place = event.get_content_offset(self)
        y = place.y + self.scroll_offset.y if place is not None else -1
        row = self._drawn.rows[y] if 0 <= y < len(self._drawn.rows) else None
        event.prevent_default()  # Textual would call the base's as well
        if place is None or row is None or not row.head or place.x > len(row.rails) + max(1, len(row.glyph)):
            super().on_click(event)
            return
        event.stop()
        self._fold(self._folded ^ {fold_key(row)}, row.checkpoint_id)

    def _fold(self, folded: Set[str], at: str | None) -> None:
        """Draw with these rows folded; the cursor goes to the row where the moment `at` is found then."""
        if folded != self._folded:
            self._folded = folded
            self._drawn = fold_rows(self._unfolded, folded)
            self.reset(len(self._drawn.rows))
        self.place_cursor(self._drawn.index_of.get(at or "", self.cursor))

    def cursor_moved(self, row: int) -> None:
        self.post_message(self.Highlighted(self._drawn.rows[row].checkpoint_id))

    def row_chosen(self, row: int) -> None:
        if row >= len(self._drawn.rows):
            return
        self.post_message(self.Chosen(self._drawn.rows[row].checkpoint_id))


def _line(row: TimelineRow, room: int) -> Content:
    glyph = f"{row.glyph} " if row.glyph else ""
    rails = row.rails
    if len(rails) > max(2, room - 16):
        rails = "…" + rails[-max(1, room - 17) :]
    style = _TONES[row.tone]
    parts = [Content.styled(rails, "$foreground 50%"), Content.styled(glyph + row.text, style)]
    used = sum(part.cell_length for part in parts)
    detail_room = room - used - 2
    if row.detail and (detail_room >= len(row.detail) or detail_room >= _SHORTEST_DETAIL):
        parts.append(Content.styled(f"  {row.detail}", "$foreground 60%"))
    return Content("").join(parts).truncate(room, ellipsis=True)
