"""The sessions screen: what needs you first, then the newest; where runs are started, renamed and deleted."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import DataTable, Input, Static

from selfheal_tui.errors import SelfHealError
from selfheal_tui.text import one_line, plural

from ..kit.inline_prompt import InlinePrompt
from ..kit.key_footer import KeyFooter
from ..kit.keymap import key_of
from ..kit.too_small import TooSmall
from ..kit.working_screen import WorkingScreen
from ..view.session_rows import about
from .demos import DemosScreen
from .session_list import SessionsFilter, SessionsTable

if TYPE_CHECKING:
    from selfheal_tui.store.sessions import SessionRow

    from ..app import SelfHealApp

_STEP = 50
"""Sessions read before the first are shown; each further step doubles what is there."""
_REST = 20
"""Times as long as the last look took, the next one waits."""
_LIST_ACTIONS = ("new", "demo", "filter", "rename", "delete", "undo", "reload", "back")
_DIM = "$foreground 60%"


class SessionsScreen(WorkingScreen[None]):
    """Lists sessions; they are read from disk after the first paint."""

    CSS_PATH = "sessions.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,N", "new", "New", key_display="n", id="sessions.new", tooltip="Heal a program, or have one written"),
        Binding("d", "demo", "Demo", id="sessions.demo", tooltip="Heal a bundled buggy program"),
        Binding(
            "slash", "filter", "Filter", key_display="/", id="sessions.filter", tooltip="Show what holds your words"
        ),
        Binding("c", "rename", "Rename", id="sessions.rename", tooltip="Give the session another title"),
        Binding(
            "x",
            "delete",
            "Delete",
            id="sessions.delete",
            tooltip="Delete the session once Enter says so; u brings it back",
        ),
        Binding("u", "undo", "Undo", id="sessions.undo", tooltip="Bring the session deleted last back"),
        Binding(
            "b", "app.bench", "Benchmarks", show=False, id="sessions.bench", tooltip="Benchmark runs of this folder"
        ),
        Binding("R", "reload", "Reload", show=False, id="sessions.reload", tooltip="Read the list from disk again"),
        Binding(
            "comma",
            "app.settings",
            "Settings",
            key_display=",",
            show=False,
            id="sessions.settings",
            tooltip="All settings",
        ),
        Binding("question_mark", "app.help", "Help", key_display="?", id="sessions.help", tooltip="All keys"),
        Binding(
            "escape", "back", "Back", show=False, id="sessions.back", tooltip="Back to the session that you came from"
        ),
        Binding("q", "app.quit", "Quit", id="sessions.quit", tooltip="End selfheal"),
    ]
    FOLLOW_S: ClassVar[float] = 2.0
    """Seconds between two looks at the disk."""
    app: SelfHealApp

    def __init__(self, *, paused: bool = False) -> None:
        """`paused`: the session that the user came from was."""
        super().__init__()
        self._paused = paused
        self._read_at: float | None = None
        """When the list was read last; None while it has not been."""
        self._took_s = 0.0
        """How long it took to look at all sessions again."""

    def compose(self) -> ComposeResult:
        yield Static(id="heading")
        yield SessionsFilter(id="filter", compact=True, placeholder="words of a title, a folder, an id or a state")
        yield SessionsTable(id="sessions")
        yield Static(id="about")
        yield Static(Content.styled("Reading sessions…", _DIM), id="empty")
        yield InlinePrompt(id="line")
        yield KeyFooter()
        yield TooSmall()

    def on_mount(self) -> None:
        """Paint first, then read; what others do meanwhile is followed."""
        self._tell("")
        if words := self.app.sessions_filter:
            self.add_class("-filtering")
            self.query_one(SessionsFilter).value = words
        self.call_after_refresh(self.action_reload, self.app.last_session_id or "")
        self.set_interval(self.FOLLOW_S, self._follow)

    def on_screen_resume(self) -> None:
        """Show what has changed while another screen was in front."""
        if self._read_at is not None:
            self._read_at = 0.0
            self._follow()

    # the list

    @work(group="list", exclusive=True)
    async def action_reload(self, at: str = "") -> None:
        """Read the list again, the sessions written last first; the cursor goes to the session `at`, else stays."""
        table = self.query_one(SessionsTable)
        rows: list[SessionRow] = []
        try:
            workbench = await asyncio.to_thread(lambda: self.app.workbench)
            ids = await asyncio.to_thread(workbench.session_ids)
            read = 0
            while read < len(ids):
                step = max(_STEP, read)
                rows += await asyncio.to_thread(workbench.session_rows, ids[read : read + step])
                read += step
                if read < len(ids):
                    self._tell(f"reading {read} of {len(ids)}")
                    self._show(rows)
        except SelfHealError as error:
            self.query_one("#empty", Static).update(Content(str(error)))
            return
        self._show(rows, at=at)
        self._read_at = time.monotonic()
        self.query_one("#empty", Static).update(self._first_steps())
        if rows and self.focused is None:
            table.focus()

    def _follow(self) -> None:
        """Read again what has changed on disk, unless the list is out of sight or still being read.

        Looking at very many sessions takes a while: then it is done less often.
        """
        due = self._read_at is not None and time.monotonic() - self._read_at >= _REST * self._took_s
        if due and self.is_current and not any(w.group == "list" and not w.is_finished for w in self.workers):
            self._read_changes()

    @work(group="list")
    async def _read_changes(self) -> None:
        workbench, began = self.app.workbench, time.monotonic()
        try:
            rows = await asyncio.to_thread(lambda: workbench.session_rows(workbench.session_ids()))
        except SelfHealError:
            return  # what was read before stays; R says what is wrong
        finally:
            self._read_at, self._took_s = time.monotonic(), time.monotonic() - began
        self._show(rows, stay=True)

    def _show(self, rows: list[SessionRow], *, stay: bool = False, at: str = "") -> None:
        first = not self.has_class("-filled")
        self.set_class(bool(rows), "-filled")
        table = self.query_one(SessionsTable)
        table.show(rows, stay=stay, at=at)
        if rows and first:
            table.focus()
        self._tell_counts()

    def _tell_counts(self) -> None:
        table = self.query_one(SessionsTable)
        rows = table.rows_known
        waiting = sum(bool(row.waiting_for) and not row.driver for row in rows)
        of_all = f"{table.row_count} of " if table.row_count != len(rows) else ""
        parts = [of_all + plural(len(rows), "session")] if rows else []
        parts += [f"◆ {plural(waiting, 'decision')} to make"] if waiting else []
        if self.app.deleted_sessions:
            undo = key_of(self.app, "sessions.undo", "u")
            parts.append(f"{len(self.app.deleted_sessions)} deleted, {undo} undoes")
        self._tell(" · ".join(parts))
        self.refresh_bindings()

    def _first_steps(self) -> Content:
        return Content.assemble(
            ("No sessions yet\n\n", "bold"),
            (key_of(self.app, "sessions.demo", "d"), "bold $text-accent"),
            (" starts a demo: a small buggy program, healed before your eyes.\n", ""),
            ("No model, key or network is needed.\n\n", ""),
            (key_of(self.app, "sessions.new", "n"), "bold $text-accent"),
            (" heals your own code, or writes some for a spec; so does\n", ""),
            ("selfheal fix PROGRAM.py --tests TEST_FILE.py", "bold"),
        )

    def _tell(self, words: str) -> None:
        words = words or "heals failing Python, under your control"
        self.query_one("#heading", Static).update(
            Content.assemble(("selfheal", "bold $text-primary"), (f"  {words}", _DIM))
        )

    def on_data_table_row_highlighted(self) -> None:
        """Tell what the row leaves out: the id, which the command line asks for, and what Enter does."""
        row = self.query_one(SessionsTable).current()
        self.query_one("#about", Static).update(Content.styled(about(row), _DIM) if row is not None else Content(""))

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Open the session."""
        if event.row_key.value:
            self.app.show_run(event.row_key.value)

    def action_back(self) -> None:
        """Show all again where the list is filtered; else go back to the session that the user came from."""
        if self.has_class("-filtering"):
            self.action_unfilter()
        elif self.app.last_session_id:
            self.app.show_run(self.app.last_session_id, paused=self._paused)

    # filter

    def action_filter(self) -> None:
        """Open the filter."""
        self.add_class("-filtering")
        self.query_one(SessionsFilter).focus()

    def action_unfilter(self) -> None:
        """Show all again."""
        self.query_one(SessionsFilter).value = ""
        self.remove_class("-filtering")
        self.query_one(SessionsTable).focus()

    def action_move(self, step: int) -> None:
        """Move in the table while the filter has the keys."""
        table = self.query_one(SessionsTable)
        table.move_cursor(row=max(0, table.cursor_row + step))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as one types."""
        if event.input.id == "filter":
            self.app.sessions_filter = event.value
            self.query_one(SessionsTable).filter(event.value)
            self._tell_counts()
            self.on_data_table_row_highlighted()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open what the filter has found."""
        row = self.query_one(SessionsTable).current()
        if event.input.id == "filter" and row is not None:
            self.app.show_run(row.session_id)

    # what changes a session

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what does something; nothing before there is a list (Textual asks from the push on)."""
        if not self.is_mounted or self.has_class("-tiny") or self.has_class("-flat"):
            return False
        if self.query_one(InlinePrompt).is_open and action in _LIST_ACTIONS:
            return False
        if action == "filter" and self.query_one(SessionsFilter).has_focus:
            return False
        if action in ("delete", "rename", "filter"):
            return self.has_class("-filled")
        if action == "back":
            return self.has_class("-filtering") or bool(self.app.last_session_id)
        return bool(self.app.deleted_sessions) if action == "undo" else True

    def action_rename(self) -> None:
        """Ask for the new title."""
        row = self.query_one(SessionsTable).current()
        if row is not None:
            self.query_one(InlinePrompt).ask(
                "New title:",
                "enter renames · esc cancels",
                partial(self._rename, row.session_id),
                needed="A title, please.",
                text=one_line(row.title),
                draft_key=row.session_id,
            )

    async def _rename(self, session_id: str, title: str) -> None:
        await self.app.workbench.rename_session(session_id, title)
        self.query_one(SessionsTable).focus()
        self.action_reload()

    def on_inline_prompt_cancelled(self) -> None:
        """Give the focus back."""
        self.query_one(SessionsTable).focus()

    def action_delete(self) -> None:
        """Ask before the session under the cursor goes: Enter, pressed out of habit, would open the next one."""
        row = self.query_one(SessionsTable).current()
        if row is not None and row.driver:
            self.notify(
                f"{one_line(row.title, 60)} is open in another selfheal ({row.driver}). Close it there first.",
                severity="warning",
                markup=False,
            )
        elif row is not None:
            undo = key_of(self.app, "sessions.undo", "u")
            self.query_one(InlinePrompt).ask(
                f"Delete {one_line(row.title, 60)}?",
                f"enter deletes · esc cancels · {undo} brings it back until you quit",
                partial(self._delete, row),
                draft_key=f"delete {row.session_id}",
                takes="yes",
            )

    async def _delete(self, row: SessionRow, _: str) -> None:
        self.query_one(SessionsTable).focus()
        try:
            await self.app.workbench.trash_session(row.session_id)
        except SelfHealError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        self.app.deleted_sessions.append(row.session_id)
        if self.app.last_session_id == row.session_id:
            self.app.last_session_id = None
        table = self.query_one(SessionsTable)
        self._show([other for other in table.rows_known if other.session_id != row.session_id], stay=True)
        undo = key_of(self.app, "sessions.undo", "u")
        self.notify(f"Deleted {one_line(row.title, 60)}; {undo} brings it back.", markup=False)

    @work(group="change")
    async def action_undo(self) -> None:
        """Bring the session deleted last back."""
        if not self.app.deleted_sessions:
            return
        # Taken out at once: pressed twice it brings two back.
        session_id = self.app.deleted_sessions.pop()
        try:
            await self.app.workbench.restore_session(session_id)
        except SelfHealError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        self.notify(f"Brought {session_id} back.", markup=False)
        self.action_reload(session_id)

    # new sessions

    def action_new(self) -> None:
        """Open the form of a new run."""
        self.app.show_new_run()

    @work(group="demo", exclusive=True)
    async def action_demo(self) -> None:
        """Choose a demo and open a new session on it."""
        from selfheal_tui.engine.task.demos import list_demos, load_demo

        demos = await asyncio.to_thread(list_demos)
        name = await self.app.push_screen_wait(DemosScreen(demos))
        if name is None:
            return
        try:
            task = await asyncio.to_thread(load_demo, name)
            options = await self.app.new_run_options()
            # Opened first: a sandbox that cannot be had must not leave a session behind.
            await asyncio.to_thread(lambda: self.app.workbench.sandbox)
            self.app.workbench.warm_up(task)
            session_id = await self.app.workbench.create(task, options)
        except SelfHealError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        self.app.show_run(session_id)
