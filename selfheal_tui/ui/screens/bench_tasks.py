"""The tasks of a benchmark run: a table that follows the run, and all about the task under the cursor beside it."""

from __future__ import annotations

import asyncio
import shlex
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.widgets import DataTable, Input, Static

from selfheal_tui.bench.figures.metrics import TaskResult
from selfheal_tui.bench.figures.task_names import shared_beginning
from selfheal_tui.bench.saved.run import SavedRun, load_run, part, stamp
from selfheal_tui.errors import SelfHealError
from selfheal_tui.text import one_line

from ..kit.inline_prompt import InlinePrompt
from ..kit.key_footer import KeyFooter
from ..kit.too_small import TooSmall
from ..kit.working_screen import WorkingScreen
from ..view.bench_rows import SORTED_BY, matching_tasks, ordered_tasks, summary, task_cell, task_columns, task_details
from .bench_table import BenchFilter, BenchTable

if TYPE_CHECKING:
    from ..app import SelfHealApp

_BESIDE = 40
"""Cells of what stands beside the table on a wide terminal."""


class BenchTasksScreen(WorkingScreen[None]):
    """Sorts and filters; a task's session is opened where the run has kept it."""

    AUTO_FOCUS = "#tasks"
    DEFAULT_CSS = """
    BenchTasksScreen {
        #summary { height: auto; max-height: 4; padding: 0 2; margin: 1 0; }
        #filter { margin: 0 2; display: none; width: 1fr; background: $boost; border: none; height: 1; }
        &.-filtering #filter { display: block; }
        #both { width: 100%; height: 1fr; layout: vertical; }
        #tasks { height: 1fr; }
        #beside { height: 40%; border-top: solid $foreground 20%; padding: 0 2; }
        #details { height: auto; }
        #line { margin: 0 1; }
        &.-wide #both { layout: horizontal; }
        &.-wide #tasks { width: 1fr; height: 1fr; }
        &.-wide #beside { width: 40; height: 1fr; border-top: none; border-left: solid $foreground 20%; padding: 0 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "sort", "Sort", id="tasks.sort", tooltip="Order by the next column"),
        Binding("S", "turn", "Reverse", key_display="S", id="tasks.turn", tooltip="Order the other way round"),
        Binding("slash", "filter", "Filter", key_display="/", id="tasks.filter", tooltip="Show what holds your words"),
        Binding("j", "scroll(1)", "Scroll", show=False, id="tasks.down", tooltip="Scroll what is said of the task"),
        Binding("k", "scroll(-1)", "Scroll back", show=False, id="tasks.up", tooltip="Scroll it back"),
        Binding("question_mark", "app.help", "Help", key_display="?", id="tasks.help", tooltip="All keys"),
        Binding("escape,q", "leave", "Back", key_display="esc", id="tasks.leave", tooltip="Back to the runs"),
    ]
    FOLLOW_S: ClassVar[float] = 1.0
    """Seconds between two looks at the disk."""
    app: SelfHealApp

    def __init__(self, run: SavedRun) -> None:
        super().__init__()
        self.run_shown = run
        self._stamp: tuple[object, ...] = ()
        self._words = ""
        self._column, self._downward = "", False
        self._results: dict[str, TaskResult] = {}

    def compose(self) -> ComposeResult:
        yield Static(id="summary")
        yield BenchFilter(id="filter", compact=True, placeholder="words of a name, a category, or how it ended")
        with Container(id="both"):
            yield BenchTable(id="tasks")
            with VerticalScroll(id="beside", can_focus=True):
                yield Static(id="details")
        yield InlinePrompt(id="line")
        yield KeyFooter()
        yield TooSmall()

    def on_mount(self) -> None:
        """Show what was read; follow what is written meanwhile."""
        self._fill()
        self.set_interval(self.FOLLOW_S, self._follow)

    def on_resize(self) -> None:
        """Fit the columns."""
        self._fill()

    def _follow(self) -> None:
        if self.is_current and not any(w.group == "list" and not w.is_finished for w in self.workers):
            self._read()

    @work(group="list", exclusive=True)
    async def _read(self) -> None:
        folder = self.run_shown.folder
        now = await asyncio.to_thread(stamp, folder)
        if now == self._stamp:
            return
        run = await asyncio.to_thread(load_run, folder)
        self._stamp = now
        # What was read before stays where the folder is gone or damaged by now.
        if not run.damage:
            self.run_shown = run
            self._fill()

    def _fill(self) -> None:
        if not self.query(BenchTable):  # it was left while the run was read
            return
        table = self.query_one(BenchTable)
        rows = ordered_tasks(matching_tasks(self.run_shown.results, self._words), self._column, downward=self._downward)
        self._results = {result["id"]: result for result in rows}
        wide = self.app.size.width >= 120
        columns = task_columns(
            self.app.size.width - 4 - (_BESIDE if wide else 0), self._column, downward=self._downward
        )
        shared = shared_beginning([result["id"] for result in self.run_shown.results])
        table.show(columns, {r["id"]: [task_cell(r, column, shared) for column in columns] for r in rows})
        self.query_one("#summary", Static).update(summary(self.run_shown, rows))
        self._tell()

    def _tell(self) -> None:
        result = self._results.get(self.query_one(BenchTable).current())
        details = self.query_one("#details", Static)
        if result is not None:
            details.update(task_details(result, self._how_to_open(result)))
        else:
            none = "No task holds these words." if self._words else "No task has finished yet."
            details.update(Content.styled(none, "$foreground 60%"))

    # order and filter

    def action_sort(self) -> None:
        """Order by the next column that is shown, after the last as the tasks finished."""
        names = ["", *(str(key.value) for key in self.query_one(BenchTable).columns)]
        at = names.index(self._column) if self._column in names else 0
        self._order(names[(at + 1) % len(names)], False)

    def action_turn(self) -> None:
        """Turn the order round."""
        self._order(self._column, not self._downward)

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        """Order by the column whose heading was clicked; once more turns it round."""
        column = event.column_key.value or ""
        if column in SORTED_BY:
            self._order(column, column == self._column and not self._downward)

    def _order(self, column: str, downward: bool) -> None:
        self._column, self._downward = column, downward
        self._fill()

    def action_filter(self) -> None:
        """Open the filter."""
        self.add_class("-filtering")
        self.query_one(BenchFilter).focus()

    def action_unfilter(self) -> None:
        """Show all again."""
        self.query_one(BenchFilter).value = ""
        self.remove_class("-filtering")
        self.query_one(BenchTable).focus()

    def action_move(self, step: int) -> None:
        """Move in the table while the filter has the keys."""
        table = self.query_one(BenchTable)
        table.move_cursor(row=max(0, table.cursor_row + step))

    def action_scroll(self, step: int) -> None:
        """Scroll what stands beside the table."""
        self.query_one("#beside", VerticalScroll).scroll_relative(y=3 * step, animate=False)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as one types."""
        if event.input.id == "filter":
            self._words = event.value
            self._fill()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open what the filter has found."""
        if event.input.id == "filter":
            self._open(self.query_one(BenchTable).current())

    def on_data_table_row_highlighted(self) -> None:
        """Say all about the task under the cursor, from its beginning."""
        self.query_one("#beside", VerticalScroll).scroll_home(animate=False)
        self._tell()

    # the session of a task

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Open the task's session."""
        self._open(event.row_key.value or "")

    def _open(self, task_id: str) -> None:
        result = self._results.get(task_id)
        if result is None:
            return
        session_id = self._kept(result)
        if not session_id:
            self.notify(self._how_to_open(result), markup=False)
        elif self.run_shown.is_own:
            self._show_session(session_id)
        else:
            self.query_one(InlinePrompt).ask(
                "You did not start this run here. Open its session?",
                "enter opens it, and nothing runs before you say so · esc cancels",
                partial(self._opened, session_id),
                draft_key=session_id,
                takes="yes",
            )

    async def _opened(self, session_id: str, _: str) -> None:
        self.query_one(BenchTable).focus()
        self._show_session(session_id)

    def on_inline_prompt_cancelled(self) -> None:
        """Give the focus back."""
        self.query_one(BenchTable).focus()

    @work(group="open", exclusive=True)
    async def _show_session(self, session_id: str) -> None:
        try:
            await self.app.show_kept(self.run_shown.sessions.absolute(), session_id)
        except SelfHealError as error:
            self.notify(one_line(str(error), 400), severity="error", markup=False)

    def _kept(self, result: TaskResult) -> str:
        """Return the id of a task's session where the run's folder still has it; else empty."""
        session_id = result.get("session_id", "")
        if not session_id or "/" in session_id or session_id in (".", ".."):
            return ""
        return session_id if (self.run_shown.sessions / session_id / "session.db").is_file() else ""

    def _how_to_open(self, result: TaskResult) -> str:
        """Say in a sentence what Enter does, or how to get the session."""
        if self._kept(result):
            return "enter opens its session: look, fork, answer differently"
        given = part(self.run_shown.header, "chosen", "arguments")
        suite, data = part(given, "suite"), part(given, "data")
        if not self.run_shown.is_own or not isinstance(suite, str):
            return "Its session was not kept: a run with --keep keeps the sessions of its tasks."
        number = result.get("attempt", 1)
        words = ["selfheal", "bench", suite, *(("--data", data) if isinstance(data, str) else ())]
        words += ["--ids", result["id"].removesuffix(f"#{number}"), "--keep"]
        return f"Its session was not kept; to get it: {one_line(shlex.join(words), 400)}"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what does something."""
        if self.is_mounted and self.query_one(InlinePrompt).is_open:
            return action not in ("sort", "turn", "filter")
        return action != "filter" or not self.is_mounted or not self.query_one(BenchFilter).has_focus

    def action_leave(self) -> None:
        """Show all again where the table is filtered; else go back to the runs."""
        if self.has_class("-filtering"):
            self.action_unfilter()
        else:
            self.dismiss()
