"""The sessions screen: what waits for you first, then the newest; where demos start."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Static

from selfheal_tui.errors import SelfHealError
from selfheal_tui.text import one_line

from ..widgets.too_small import TooSmall
from ..words import outcome_words, size_words
from .confirm import ConfirmScreen
from .demos import DemosScreen

if TYPE_CHECKING:
    from selfheal_tui.store.sessions import SessionRow

    from ..app import SelfHealApp

_COLUMNS = {"state": 19, "iteration": 5, "when": 11, "size": 7}
"""Width of each column but the first, which takes the rest."""


class SessionsTable(DataTable[Content]):
    """The list; Enter opens the session under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "Open", id="sessions.open", tooltip="Open the session under the cursor")
    ]


class SessionsScreen(Screen[None]):
    """Lists sessions; they are read from disk after the first paint."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "demo", "New demo", id="sessions.demo", tooltip="Heal a bundled buggy program"),
        Binding(
            "x", "delete", "Delete", id="sessions.delete", tooltip="Delete the session under the cursor; asks first"
        ),
        Binding("u", "reload", "Update", id="sessions.reload", tooltip="Read the list from disk again"),
        Binding("question_mark", "app.help", "Help", key_display="?", id="sessions.help", tooltip="All keys"),
        Binding("q", "app.quit", "Quit", id="sessions.quit", tooltip="End selfheal"),
    ]
    app: SelfHealApp

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[str, SessionRow] = {}

    def compose(self) -> ComposeResult:
        yield Static(
            Content.assemble(("selfheal", "bold $text-primary"), ("  heals failing Python, under your control", _DIM)),
            id="heading",
        )
        yield SessionsTable(id="sessions", cursor_type="row", show_header=True)
        yield Static(id="about")
        yield Static(Content.styled("Reading sessions…", _DIM), id="empty")
        yield Footer(show_command_palette=False)
        yield TooSmall()

    def on_mount(self) -> None:
        """Paint first, then read."""
        self.call_after_refresh(self.action_reload)

    @work(group="list", exclusive=True)
    async def action_reload(self) -> None:
        """Read the list again."""
        try:
            rows = await asyncio.to_thread(self.app.workbench.list_sessions)
        except SelfHealError as error:
            self.query_one("#empty", Static).update(Content(str(error)))
            return
        self._fill(sorted(rows, key=lambda row: row.outcome != "waiting"))

    def _fill(self, rows: list[SessionRow]) -> None:
        table = self.query_one(SessionsTable)
        keep = self._current()
        self._rows = {row.session_id: row for row in rows}
        table.clear(columns=True)
        rest = self.size.width - sum(_COLUMNS.values()) - 2 * len(_COLUMNS) - 4
        for name, width in {"title": min(max(rest, 16), 60), **_COLUMNS}.items():
            table.add_column(_HEADINGS[name], key=name, width=width)
        for row in rows:
            table.add_row(*_cells(row), key=row.session_id)
        if keep is not None and keep.session_id in self._rows:
            table.move_cursor(row=table.get_row_index(keep.session_id))
        self.set_class(bool(rows), "-filled")
        self.query_one("#empty", Static).update(_EMPTY)
        if rows:
            table.focus()

    def on_resize(self) -> None:
        """Fit the columns."""
        if self._rows:
            self._fill(list(self._rows.values()))

    def _current(self) -> SessionRow | None:
        table = self.query_one(SessionsTable)
        if not table.row_count or not table.is_valid_row_index(table.cursor_row):
            return None
        key = table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value
        return self._rows.get(key or "")

    def on_data_table_row_highlighted(self) -> None:
        """Tell the whole title and the id, which the command line asks for."""
        row = self._current()
        words = Content.styled(f"{one_line(row.title)} · {row.session_id}", _DIM) if row is not None else Content("")
        self.query_one("#about", Static).update(words)

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Open the session."""
        if event.row_key.value:
            self.app.show_run(event.row_key.value)

    @work(group="demo", exclusive=True)
    async def action_demo(self) -> None:
        """Choose a demo and open a new session on it."""
        from selfheal_tui.engine.demos import list_demos, load_demo

        demos = await asyncio.to_thread(list_demos)
        name = await self.app.push_screen_wait(DemosScreen(demos))
        if name is None:
            return
        from selfheal_tui.engine.workbench import RunOptions

        try:
            task = await asyncio.to_thread(load_demo, name)
            session_id = await self.app.workbench.create(task, self.app.options or RunOptions())
        except SelfHealError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        self.app.show_run(session_id)

    @work(group="delete", exclusive=True)
    async def action_delete(self) -> None:
        """Delete the session under the cursor, once confirmed."""
        row = self._current()
        if row is None:
            return
        text = (
            f"{one_line(row.title)}\n{row.session_id}\n\nIts history, {size_words(row.size_bytes)}, is gone for good."
        )
        if not await self.app.push_screen_wait(ConfirmScreen("Delete this session?", text, "delete it")):
            return
        try:
            await self.app.workbench.delete_session(row.session_id)
        except SelfHealError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        if self.app.last_session_id == row.session_id:
            self.app.last_session_id = None
        self.action_reload()


def _cells(row: SessionRow) -> tuple[Content, ...]:
    glyph, word, style = outcome_words(row.outcome)
    if row.waiting_for:
        word = f"waits: {row.waiting_for}"
    return (
        Content(one_line(row.title)),
        Content.styled(f"{glyph} {word}", style),
        Content(str(row.iteration)),
        Content.styled(ago(row.updated_at, datetime.now(UTC)), _DIM),
        Content.styled(size_words(row.size_bytes), _DIM),
    )


def ago(when: str, now: datetime) -> str:
    """Say how long ago a UTC ISO 8601 time was; the text itself when it is none."""
    try:
        then = datetime.fromisoformat(when)
    except ValueError:
        return one_line(when, 12)
    seconds = max(0, int((now - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds()))
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return "just now"


_DIM = "$foreground 60%"
_HEADINGS = {"title": "Session", "state": "State", "iteration": "Iter.", "when": "Last active", "size": "Size"}
_EMPTY = Content.assemble(
    ("No sessions yet\n\n", "bold"),
    ("d", "bold $text-accent"),
    (" starts a demo: a small buggy program, healed before your eyes.\nNo model, key or network is needed.\n\n", ""),
    ("For your own code, leave with q and run\n", _DIM),
    ("selfheal fix PROGRAM.py --tests TEST_FILE.py", "bold"),
)
