"""The tabs that show one moment, each from another side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static, TabbedContent, TabPane

from selfheal_tui.engine.history.matrix import Matrix
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.suites.failing_groups import failing_lines
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.text import one_line

from ...kit.code_view import LEGEND, CodeView
from ...kit.commented_diff import CommentedDiff
from ...kit.diff_view import DiffView
from ...kit.keymap import key_of
from ...kit.matrix_view import MatrixView
from ...kit.restyle import switch_classes
from ...kit.suite_table import SuiteTable
from ...view.model import RunModel
from ...view.shown import FileChange, asked_files, change_since, failing_place, marked_lines, proposed_change, report_of
from ...view.timeline_rows import fork_gist, moment_words
from .beside import Beside
from .calls_view import CallsView
from .evidence_tabs import EvidenceTabs
from .stories import diagnosis_story, lessons_story
from .transcript_tab import TranscriptTab

if TYPE_CHECKING:
    from selfheal_tui.engine.history.calls import MomentCall


class Evidence(Vertical):
    """Shows a snapshot; a past one under a banner that says so."""

    DEFAULT_CSS = """
    Evidence {
        #past-banner { height: 1; display: none; background: $warning 25%; padding: 0 1; }
        #past-banner.-shown { display: block; }
        TabbedContent { height: 3fr; }
        ContentSwitcher { height: 1fr; }
        TabPane { padding: 0; height: 1fr; }
        TabPane > * { height: 1fr; }
        #diagnosis-text, #lessons-text { height: auto; padding: 1; }
        TabPane > #diff-what, TabPane > #code-legend { height: 1; padding: 0 1; color: $foreground 60%; }
        TabPane > #code-legend { display: none; }
        TabPane > #code-legend.-shown { display: block; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tabs = EvidenceTabs()
        self.transcript = TranscriptTab()
        self._shown: tuple[RunModel, str] | None = None
        """The model and the candidate that are drawn."""
        self._instead: tuple[str, list[FileChange]] | None = None
        """The change of several candidates, which the Diff tab shows instead of that of one."""

    def compose(self) -> ComposeResult:
        yield Static(id="past-banner")
        with self.tabs:
            with TabPane("Code", id="code"):
                yield CodeView()
                yield Static(Content(LEGEND), id="code-legend")
            with TabPane("Diff", id="diff"):
                yield Static(id="diff-what", markup=False)
                yield CommentedDiff()
            with TabPane("Tests", id="tests"):
                yield SuiteTable()
            with TabPane("Matrix", id="matrix"):
                yield MatrixView()
            with TabPane("Diagnosis", id="diagnosis"), VerticalScroll(can_focus=True):
                yield Static(id="diagnosis-text")
            with TabPane("Lessons", id="lessons"), VerticalScroll(can_focus=True):
                yield Static(id="lessons-text")
            with TabPane("Calls", id="calls"):
                yield CallsView()
            with TabPane("Transcript", id="transcript"):
                yield self.transcript
            yield TabPane("Edit", id="edit")
            yield TabPane("Try", id="try")
        yield Beside(id="beside")

    def on_mount(self) -> None:
        """Follow the focus: the rule `:focus-within` would style all tabs anew at each of its moves."""
        self.watch(self.screen, "focused", self._follow_focus)

    def _follow_focus(self) -> None:
        switch_classes(self, {"-focused": self.has_focus_within}, self)

    def goto(self, path: str, line: int) -> None:
        """Show a line in the Code tab."""
        self.query_one("#code CodeView", CodeView).goto(path, line)

    def show(self, model: RunModel, pick: str) -> None:
        """Show the model's moment in all tabs; `pick` is the candidate whose change and tests are shown."""
        snapshot, past = model.shown, model.past is not None
        if snapshot is None:
            return
        if past:
            self._show_banner(model, snapshot)
        switch_classes(self, {"-past": past}, self)
        self.query_one("#past-banner").set_class(past, "-shown")
        self.transcript.set_class(past, "-past")
        drawn, self._shown = self._shown, (model, pick)
        if drawn is not None and drawn[0].shown is snapshot and (drawn[0].decided, drawn[1]) == (model.decided, pick):
            return
        marked = marked_lines(snapshot)
        code = self.query_one("#code CodeView", CodeView)
        code.show(asked_files(snapshot), marked.why, marked.scores, marked.numbers)
        self.query_one("#code-legend").set_class(code.scored, "-shown")
        if place := next(iter(marked.why), None) or failing_place(snapshot):
            code.goto(*place)
        if not self.wants_before:
            self._show_diff(*(self._instead or self._named(proposed_change(snapshot, pick, model.decided))))
        self.show_report(snapshot, *report_of(snapshot, pick, model.decided))
        self.query_one(Beside).show(snapshot.program, marked)
        self.query_one("#diagnosis-text", Static).update(diagnosis_story(snapshot))
        self.query_one("#lessons-text", Static).update(lessons_story(snapshot))

    def _show_banner(self, model: RunModel, snapshot: Snapshot) -> None:
        moment = moment_words(model.timeline, snapshot.checkpoint_id)
        words = f" now · {moment} · {one_line(snapshot.branch, 60)} · iteration {snapshot.iteration}"
        key = key_of(self.app, "run.now", "n")
        banner = Content.assemble((" ◷ PAST ", "bold reverse $warning"), (f"  {key}", "bold $text-accent"), words)
        self.query_one("#past-banner", Static).update(banner)

    def on_tabbed_content_tab_activated(self, event: TabbedContent.TabActivated) -> None:
        """Show below what belongs to the tab."""
        self.query_one(Beside).follow(self.tabs.active)

    def on_suite_table_case_shown(self, event: SuiteTable.CaseShown) -> None:
        """Show the line that the case under the cursor names."""
        self.query_one(Beside).reach(event.location)

    def make_room(self, room: bool) -> None:
        """Show the tests below the other tabs, or not; what is shown is drawn again there."""
        beside = self.query_one(Beside)
        if beside.has_room != room:
            beside.set_class(room, "-roomy")
            drawn, self._shown = self._shown, None
            if drawn is not None:
                self.show(*drawn)

    def show_match(self, tab: str, path: str, line: int, *, focus: bool = True) -> None:
        """Bring the tab to the front that holds a match of a search, at its line; empty leaves the tab as it is."""
        if tab and focus:
            self.tabs.activate(tab)
        elif tab:
            self.tabs.active = tab
        if line:
            self._show_test(path)
            self.goto(path, line)

    def _show_test(self, path: str) -> None:
        """Show a test file below the program in the Code tab, where a match is in it."""
        snapshot = self._shown[0].shown if self._shown else None
        if snapshot is None or path in asked_files(snapshot) or path not in snapshot.tests:
            return
        marked = marked_lines(snapshot)
        files = {**asked_files(snapshot), path: snapshot.tests[path]}
        self.query_one("#code CodeView", CodeView).show(files, marked.why, marked.scores, marked.numbers)

    @property
    def wants_before(self) -> bool:
        """Whether the Diff tab shows what the moment changed, for which the one before has to be loaded."""
        snapshot = self._shown[0].shown if self._shown else None
        if snapshot is None or snapshot.candidates or snapshot.outcome or snapshot.pending == "end":
            return False
        return snapshot.iteration > 0

    def show_before(self, snapshot: Snapshot, before: Snapshot | None) -> None:
        """Show in the Diff tab what changed since `before`; None: nothing did."""
        self._show_diff(*self._named(change_since(before, snapshot)))

    def _named(self, change: tuple[str, list[FileChange]]) -> tuple[str, list[FileChange]]:
        """Return a change with its title; where a fork changed no file, the title says what it changed."""
        model = self._shown[0] if self._shown else None
        at = model.shown.checkpoint_id if model is not None and model.shown is not None else ""
        is_changed = any(old != new for _, old, new in change[1])
        words = "" if model is None or is_changed else fork_gist(model.timeline, at)
        if not words:
            return change
        return f"What the fork changed: {words}. The code is the same.", []

    def show_writing(self, title: str, files: list[FileChange]) -> None:
        """Show in the Diff tab what would be written, and bring it to the front; the focus stays with who asks."""
        self._show_diff(title, files)
        self.tabs.active = "diff"

    def show_instead(self, change: tuple[str, list[FileChange]] | None) -> None:
        """Show this change in the Diff tab instead of that of the candidate; None shows that again."""
        if change != self._instead:
            self._instead = change
            self.show_again()

    def show_again(self) -> None:
        """Show the moment's own change again after `show_writing`."""
        drawn, self._shown = self._shown, None
        if drawn is not None:
            self.show(*drawn)

    def _show_diff(self, title: str, files: list[FileChange]) -> None:
        self.query_one("#diff-what", Static).update(Content(title))
        snapshot = self._shown[0].shown if self._shown else None
        program = snapshot.program if snapshot is not None else {}
        self.query_one(DiffView).show(files, named=len(program) > 1 or any(path not in program for path, *_ in files))

    def show_matrix(self, matrix: Matrix | None, words: str = "") -> None:
        """Show the cases over the runs that led to the moment; without a matrix show `words`."""
        self.query_one(MatrixView).show(matrix["columns"] if matrix else (), matrix["cases"] if matrix else (), words)

    def show_calls(self, calls: Sequence[MomentCall], snapshot: Snapshot) -> None:
        """Show the newest model calls up to the moment."""
        self.query_one(CallsView).show(calls, snapshot.checkpoint_id)

    def show_tests(self, snapshot: Snapshot, pick: str) -> None:
        """Show the suite's run over the candidate, or over the code now when there is none."""
        self.show_report(snapshot, *report_of(snapshot, pick))

    def show_report(
        self, snapshot: Snapshot, report: SuiteReport | None, fixes: Sequence[str] = (), breaks: Sequence[str] = ()
    ) -> None:
        """Show a run of the suite, with the cases that it turned."""
        table = self.query_one("#tests SuiteTable", SuiteTable)
        groups = failing_lines(snapshot, report)
        table.show(report, fixes, breaks, origins=snapshot.origins, pinned=snapshot.pinned, groups=groups)
        self.query_one(Beside).show_report(snapshot, report, fixes, breaks, groups)
