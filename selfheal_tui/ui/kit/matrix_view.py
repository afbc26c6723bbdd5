"""Each case over the runs of the suite: which passed when, and where it flipped. Draws only what is on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from selfheal_tui.engine.history.matrix import CaseRow, Column
from selfheal_tui.text import one_line, plural

from .cursor_view import CursorView
from .line_view import Cell
from .suite_table import short_id

_DIM = "$foreground 60%"
_SIGNS = {
    "passed": ("✓", "$text-success"),
    "failed": ("✗", "$text-error"),
    "error": ("!", "$text-error"),
    "timeout": ("◷", "$text-warning"),
    "skipped": ("-", _DIM),
}
_FLIPS = {"fixed": ("▲", "bold $text-success"), "broke": ("▼", "bold $text-error")}
_SIDES = {"both": "", "a": "A", "b": "B"}
_LEAST_NAME, _MOST_NAME = 14, 60
"""Screen cells for the name of a case."""
_MEASURED = 500
"""Cases whose names decide how wide that column is."""


class MatrixRows(CursorView):
    """A row for each case, a column for each run; left and right move over the runs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "older", "Older", id="matrix.older", tooltip="Show older runs", show=False),
        Binding("right,l", "newer", "Newer", id="matrix.newer", tooltip="Show newer runs", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.columns: Sequence[Column] = ()
        self.cases: Sequence[CaseRow] = ()
        self.first: int | None = None
        """The first column drawn; None draws the newest."""
        self._longest = _LEAST_NAME

    def show(self, columns: Sequence[Column], cases: Sequence[CaseRow]) -> None:
        """Draw these; the cursor stays on its case."""
        at = self.cases[self.cursor]["id"] if self.cursor < len(self.cases) else ""
        self.columns, self.cases, self.first = columns, cases, None
        self._longest = max([_LEAST_NAME, *(len(short_id(row["id"])) for row in cases[:_MEASURED])])
        self.reset(len(cases))
        self.place_cursor(next((n for n, row in enumerate(cases) if row["id"] == at), 0))

    def window(self, width: int) -> tuple[int, int, int]:
        """Return the first column drawn, how many fit, and the screen cells of the names, at this width."""
        step = self.step
        spare = width - 3 - step * len(self.columns)
        name = min(_MOST_NAME, spare, self._longest) if spare >= _LEAST_NAME else max(_LEAST_NAME, width // 3)
        fits = max(1, (width - name - 3) // step)
        last = max(0, len(self.columns) - fits)
        return last if self.first is None else min(self.first, last), fits, name

    @property
    def step(self) -> int:
        """Screen cells of a column."""
        return 2 + max([2, *(len(heading_of(column)) for column in self.columns[-1:])])

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        if y >= len(self.cases):
            return (Cell(Content("")),)
        case = self.cases[y]
        first, fits, room = self.window(width)
        name = Content(short_id(case["id"])).truncate(room, ellipsis=True)
        parts = [Content(" "), name, Content(" " * (room - name.cell_length + 1))]
        for outcome, flip in list(zip(case["outcomes"], case["flips"], strict=True))[first : first + fits]:
            sign, style = _SIGNS.get(outcome or "", ("·", "$foreground 38%"))
            mark, bold = _FLIPS.get(flip, (" ", ""))
            parts += [
                Content(" " * (self.step - 2)),
                Content.styled(sign, bold or style),
                Content.styled(mark, bold),
            ]
        return (Cell(Content("").join(parts), tint=self.cursor_tint(y)),)

    def action_older(self) -> None:
        self._shift(-1)

    def action_newer(self) -> None:
        self._shift(1)

    def _shift(self, by: int) -> None:
        first, fits, _ = self.window(self.row_width)
        last = max(0, len(self.columns) - fits)
        at = max(0, min(last, first + by))
        self.first = None if at == last else at
        self.refresh()
        self.cursor_moved(self.cursor)

    def cursor_moved(self, row: int) -> None:
        if isinstance(self.parent, MatrixView):
            self.parent.draw_lines()


class MatrixView(Vertical):
    """A sentence, the numbers of the iterations, the rows, and the story of the case under the cursor."""

    DEFAULT_CSS = """
    MatrixView {
        background: $surface;
        & > #matrix-heading { height: auto; max-height: 3; padding: 0 1; }
        & > #matrix-columns { height: 1; background: $foreground 6%; }
        & > MatrixRows { height: 1fr; min-height: 2; }
        & > #matrix-case { height: auto; max-height: 4; padding: 0 1; border-top: solid $foreground 20%; }
        &.-empty > #matrix-columns, &.-empty > #matrix-case { display: none; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: tuple[Sequence[Column], Sequence[CaseRow], str] = ((), (), "")

    def compose(self) -> ComposeResult:
        yield Static(id="matrix-heading", markup=False)
        yield Static(id="matrix-columns", markup=False)
        yield MatrixRows()
        yield Static(id="matrix-case", markup=False)

    def on_mount(self) -> None:
        self._draw()

    def show(self, columns: Sequence[Column], cases: Sequence[CaseRow], words: str = "") -> None:
        """Show cases over runs, those that speak first; `said` stands instead of an empty matrix."""
        self._shown = (columns, ordered_rows(cases), words)
        if self.is_mounted:
            self._draw()

    def on_resize(self) -> None:
        self.draw_lines()

    def draw_lines(self) -> None:
        """Draw the iterations' numbers and the case under the cursor."""
        rows = self.query_one(MatrixRows)
        if not rows.cases:
            return
        width = rows.row_width or self.size.width
        self.query_one("#matrix-columns", Static).update(columns_line(rows, width))
        if rows.cursor < len(rows.cases):
            self.query_one("#matrix-case", Static).update(case_story(rows.columns, rows.cases[rows.cursor]))

    def _draw(self) -> None:
        columns, cases, words = self._shown
        self.set_class(not cases, "-empty")
        self.query_one("#matrix-heading", Static).update(heading(columns, cases, words))
        self.query_one(MatrixRows).show(columns, cases)
        self.call_after_refresh(self.draw_lines)


def heading_of(column: Column) -> str:
    """Return what stands over a column: the iteration, with the side it belongs to alone."""
    return f"{_SIDES[column['on']]}{column['iteration']}"


def ordered_rows(cases: Sequence[CaseRow]) -> list[CaseRow]:
    """Return those that do not pass now first, then those that ever flipped, then the others; else as they came."""
    return sorted(cases, key=_speaks_less)


def _speaks_less(row: CaseRow) -> int:
    newest = next((outcome for outcome in reversed(row["outcomes"]) if outcome is not None), None)
    if newest not in ("passed", "skipped", None):
        return 0
    return 1 if any(row["flips"]) else 2


def heading(columns: Sequence[Column], cases: Sequence[CaseRow], words: str = "") -> Content:
    """Return one sentence: how many cases, runs and flips, and what the signs mean."""
    if not cases:
        return Content.styled(one_line(words, 400) or "The suite has not run yet.", _DIM)
    fixed = sum(flip == "fixed" for row in cases for flip in row["flips"])
    broke = sum(flip == "broke" for row in cases for flip in row["flips"])
    return Content.assemble(
        (f"{plural(len(cases), 'case')}, {plural(len(columns), 'run')} of the suite  ", ""),
        ("▲", "bold $text-success"),
        (f" fixed {fixed}  ", _DIM),
        ("▼", "bold $text-error"),
        (f" broke {broke}", _DIM),
    )


def columns_line(rows: MatrixRows, width: int) -> Content:
    """Return the iterations' numbers above their columns, and how many runs are out of sight."""
    first, fits, room = rows.window(width)
    visible_columns = rows.columns[first : first + fits]
    older_words = f"‹ {first} older" if first else "iteration"
    name = Content(f" {older_words}").truncate(room, ellipsis=True)
    heads = "".join(f"{heading_of(column):>{rows.step - 1}} " for column in visible_columns)
    more = len(rows.columns) - first - len(visible_columns)
    line = name + Content(" " * (room - name.cell_length + 2)) + Content(heads)
    return Content.styled(line.plain, "bold") + Content.styled(f" {more} ›" if more else "", _DIM)


def case_story(columns: Sequence[Column], row: CaseRow) -> Content:
    """Return what became of one case: its name, how it stands, at which iterations it flipped."""
    newest = next((outcome for outcome in reversed(row["outcomes"]) if outcome is not None), None) or "not run"
    sign, style = _SIGNS.get(newest, ("·", _DIM))
    turns = [
        f"{'fixed' if flip == 'fixed' else 'broke'} at {heading_of(column)}"
        for column, flip in zip(columns, row["flips"], strict=True)
        if flip
    ]
    turn_words = ", ".join(turns[-6:]) or _unturned_words(row)
    suite = f" · {row['suite']}" if row["suite"] != "yours" else ""
    return Content.assemble(
        (f"{sign} {newest}", f"bold {style}"),
        (f"  {one_line(row['id'], 400)}\n", "bold"),
        (f"{turn_words}{suite}", _DIM),
    )


def _unturned_words(row: CaseRow) -> str:
    """Say how a case that was neither fixed nor broken stands in the runs."""
    outcomes = [outcome for outcome in row["outcomes"] if outcome is not None]
    several = f"{len(outcomes)} of {plural(len(row['outcomes']), 'run')}"
    where = "every run" if len(outcomes) == len(row["outcomes"]) else several
    if len(set(outcomes)) > 1:
        return f"{', then '.join(outcome for outcome, _ in groupby(outcomes))}: neither fixed nor broken"
    return f"the same in {where}" if len(outcomes) > 1 or where == "every run" else f"it ran in {where}"
