"""Benchmark runs of the current folder, and those that were named: which run, which have ended, what they repaired."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import DataTable, Static

from selfheal_tui.bench.saved.journal import DEFAULT_PARENT
from selfheal_tui.bench.saved.run import SavedRun, list_runs, load_run, stamp
from selfheal_tui.text import one_line, plural

from ..kit.inline_prompt import InlinePrompt
from ..kit.key_footer import KeyFooter
from ..kit.keymap import key_of
from ..kit.too_small import TooSmall
from ..kit.working_screen import WorkingScreen
from ..view.bench_rows import about_run, run_cell, run_columns
from .bench_table import BenchTable
from .bench_tasks import BenchTasksScreen

if TYPE_CHECKING:
    from ..app import SelfHealApp

_DIM = "$foreground 60%"
_MOST_RUNS = 500
"""The newest of a folder that holds more."""


class BenchScreen(WorkingScreen[None]):
    """Reads only: a run is started by `selfheal bench`."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    BenchScreen {
        #heading { height: 3; padding: 1 2; }
        #runs { display: none; }
        #about { height: auto; max-height: 3; padding: 0 2; }
        #empty { height: 1fr; content-align: center middle; text-align: center; }
        #line { margin: 0 1; }
        &.-filled #runs { display: block; }
        &.-filled #empty { display: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "folder", "Other folder", id="benchmarks.folder", tooltip="Show a run that lies elsewhere"),
        Binding("question_mark", "app.help", "Help", key_display="?", id="benchmarks.help", tooltip="All keys"),
        Binding("escape,q", "leave", "Back", key_display="esc", id="benchmarks.leave", tooltip="Back to the sessions"),
    ]
    FOLLOW_S: ClassVar[float] = 1.0
    """Seconds between two looks at the disk."""
    app: SelfHealApp

    def __init__(self) -> None:
        super().__init__()
        self._runs: dict[str, SavedRun] = {}
        self._stamps: dict[str, tuple[object, ...]] = {}
        self._was_read = False

    def compose(self) -> ComposeResult:
        yield Static(id="heading")
        yield BenchTable(id="runs")
        yield Static(Content.styled("Reading runs…", _DIM), id="empty")
        yield Static(id="about")
        yield InlinePrompt(id="line")
        yield KeyFooter()
        yield TooSmall()

    def on_mount(self) -> None:
        """Paint first, then read; runs that go on are followed."""
        self._tell()
        self.call_after_refresh(self._read)
        self.set_interval(self.FOLLOW_S, self._follow)

    def on_screen_resume(self) -> None:
        """Show what has changed meanwhile."""
        if self._was_read:
            self._read()

    def on_resize(self) -> None:
        """Fit the columns."""
        self._fill()

    def _follow(self) -> None:
        if self.is_current and self._was_read and not any(not w.is_finished for w in self.workers):
            self._read()

    @work(group="list", exclusive=True)
    async def _read(self, at: str = "") -> None:
        named, stamps, runs = tuple(self.app.bench_folders), self._stamps, self._runs
        read = await asyncio.to_thread(_read_runs, named, stamps, runs)
        self._stamps, self._runs = read
        self._was_read = True
        self._fill(at)

    def _fill(self, at: str = "") -> None:
        if not self._was_read or not self.query(BenchTable):  # it was left while the runs were read
            return
        first = not self.has_class("-filled")
        self.set_class(bool(self._runs), "-filled")
        table, now = self.query_one(BenchTable), datetime.now(UTC)
        columns = run_columns(self.app.size.width - 4)
        rows = {key: [run_cell(run, column.name, now) for column in columns] for key, run in self._runs.items()}
        table.show(columns, rows, at=at)
        if self._runs and first and not self.query_one(InlinePrompt).is_open:
            table.focus()
        self._tell()

    def _tell(self) -> None:
        words = f"  {plural(len(self._runs), 'run')} in {DEFAULT_PARENT}/" if self._runs else ""
        if self.app.bench_folders and self._runs:
            words += " and where you said"
        heading = Content.assemble(("Benchmarks", "bold $text-primary"), (words, _DIM))
        self.query_one("#heading", Static).update(heading)
        run = self._runs.get(self.query_one(BenchTable).current())
        self.query_one("#about", Static).update(Content.styled(about_run(run), _DIM) if run else Content(""))
        if self._was_read and not self._runs:
            self.query_one("#empty", Static).update(self._first_steps())

    def _first_steps(self) -> Content:
        return Content.assemble(
            (f"No benchmark run in {DEFAULT_PARENT}/ of this folder\n\n", "bold"),
            ("selfheal bench builtin", "bold"),
            (" starts one, and it can be followed here.\n", ""),
            ("With --keep each task can be opened as the session it is.\n\n", ""),
            (key_of(self.app, "benchmarks.folder", "o"), "bold $text-accent"),
            (" shows a run that lies elsewhere.", ""),
        )

    def on_data_table_row_highlighted(self) -> None:
        """Tell what the row leaves out."""
        self._tell()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Open the run."""
        run = self._runs.get(event.row_key.value or "")
        if run is None:
            return
        if run.damage:
            self.notify(one_line(run.damage, 300), severity="error", markup=False)
            return
        self.app.push_screen(BenchTasksScreen(run))

    def action_folder(self) -> None:
        """Ask for a run's folder."""
        self.query_one(InlinePrompt).ask(
            "The run's folder:",
            "enter shows it · esc cancels",
            self._named,
            needed="A folder, please.",
            told_later=True,
        )

    async def _named(self, text: str) -> None:
        prompt, folder = self.query_one(InlinePrompt), Path(text).expanduser()
        run = await asyncio.to_thread(load_run, folder)
        inside = [] if not run.damage else await asyncio.to_thread(list_runs, folder)
        if run.damage and not inside:
            prompt.refuse(f"{one_line(str(folder), 100)} holds no run: {one_line(run.damage, 200)}")
            return
        for path in inside or [folder]:
            if path not in self.app.bench_folders:
                self.app.bench_folders.append(path)
        prompt.close()
        self.query_one(BenchTable).focus()
        self._read(str(inside[0] if inside else folder))

    def on_inline_prompt_cancelled(self) -> None:
        """Give the focus back."""
        self.query_one(BenchTable).focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what does something."""
        return not (self.is_mounted and action == "folder" and self.query_one(InlinePrompt).is_open)

    def action_leave(self) -> None:
        """Back to the sessions."""
        self.dismiss()


def _read_runs(
    named: tuple[Path, ...], stamps: dict[str, tuple[object, ...]], runs: dict[str, SavedRun]
) -> tuple[dict[str, tuple[object, ...]], dict[str, SavedRun]]:
    """Return the stamp and the run of each folder; those whose stamp is the same are not read again."""
    folders = dict.fromkeys([*named, *list_runs(Path(DEFAULT_PARENT))[:_MOST_RUNS]])
    marks = {str(folder): stamp(folder) for folder in folders}
    read = {
        str(folder): runs[str(folder)] if stamps.get(str(folder)) == marks[str(folder)] else load_run(folder)
        for folder in folders
    }
    return marks, read
