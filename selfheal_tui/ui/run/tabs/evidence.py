"""The tabs that show one moment, each from another side; and the editor while one is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static, TabbedContent, TabPane, Tabs

from selfheal_tui.engine.history.matrix import Matrix
from selfheal_tui.engine.moment.events import (
    CallFinished,
    CallWaits,
    CaseFinished,
    CheckpointSaved,
    Event,
    NodeStarted,
    ReviewRequested,
    RunFailed,
    RunFinished,
    TokenStreamed,
    ToolCalled,
)
from selfheal_tui.engine.moment.node_facts import facts_of
from selfheal_tui.engine.moment.review import ReviewKind
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.timeline import Checkpoint
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.text import one_line

from ...kit.code_view import LEGEND, CodeView
from ...kit.diff_view import DiffView
from ...kit.keymap import key_of
from ...kit.matrix_view import MatrixView
from ...kit.suite_table import SuiteTable
from ...kit.transcript import Transcript
from ...view.log_lines import log_line, moment_line
from ...view.shown import asked_files, is_stale, proposed_change
from ...view.words import report_now
from .beside import Beside
from .calls_view import CallsView
from .edit_pane import EditPane
from .stories import diagnosis_story, lessons_story
from .try_input import TryInput
from .try_pane import TryPane

if TYPE_CHECKING:
    from selfheal_tui.engine.history.calls import MomentCall

_Pane = TypeVar("_Pane", bound=Widget)
TABS = ("code", "diff", "tests", "matrix", "diagnosis", "lessons", "calls", "transcript")
_LEFT_ALONE = ("tests", "matrix", "lessons", "calls", "transcript")
"""Tabs that a question asked again does not take away from their reader."""
ENDS_STREAMS = (NodeStarted, CheckpointSaved, ReviewRequested, RunFinished, RunFailed)
"""Events after which no model that spoke before goes on with its sentence."""
_MOMENTS = 500
"""Newest moments that the transcript tells of the past."""


class Evidence(Vertical):
    """Shows a snapshot; a past one under a banner that says so."""

    DEFAULT_CSS = """
    Evidence {
        #past-banner { height: 1; display: none; background: $warning 25%; padding: 0 1; }
        &.-past #past-banner { display: block; }
        TabbedContent { height: 3fr; }
        ContentSwitcher { height: 1fr; }
        TabPane { padding: 0; height: 1fr; }
        TabPane > * { height: 1fr; }
        #diagnosis-text, #lessons-text { height: auto; padding: 1; }
        #transcript-past { display: none; }
        &.-past #transcript-past { display: block; }
        &.-past #transcript-live { display: none; }
        TabPane > #diff-what, TabPane > #code-legend { height: 1; padding: 0 1; color: $foreground 60%; }
        TabPane > #code-legend { display: none; }
        &.-scored #code-legend { display: block; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: tuple[Snapshot, str] | None = None
        self._before_try = "code"

    def compose(self) -> ComposeResult:
        yield Static(id="past-banner")
        with TabbedContent(initial="code"):
            with TabPane("Code", id="code"):
                yield CodeView()
                yield Static(Content(LEGEND), id="code-legend")
            with TabPane("Diff", id="diff"):
                yield Static(id="diff-what", markup=False)
                yield DiffView()
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
                yield Transcript(id="transcript-live")
                yield Transcript(id="transcript-past")
            yield TabPane("Edit", id="edit")
            yield TabPane("Try", id="try")
        yield Beside(id="beside")

    def on_mount(self) -> None:
        """Offer the editor and the trying only while they are used."""
        self.query_one(TabbedContent).hide_tab("edit")
        self.query_one(TabbedContent).hide_tab("try")

    def show(self, snapshot: Snapshot, pick: str, past: bool) -> None:
        """Show the snapshot in all tabs; `pick` is the candidate whose change and tests are shown."""
        if past:
            seen = facts_of(snapshot.node).done
            where = f" now · {seen} · {one_line(snapshot.branch, 60)} · iteration {snapshot.iteration}"
            now = key_of(self.app, "run.now", "n")
            self.query_one("#past-banner", Static).update(
                Content.assemble(
                    (" ◷ PAST ", "bold reverse $warning"),
                    (f"  {now}", "bold $text-accent"),
                    where,
                )
            )
        self.set_class(past, "-past")
        if self._shown is not None and self._shown[0] is snapshot and self._shown[1] == pick:
            return
        self._shown = (snapshot, pick)
        found = snapshot.diagnosis["evidence"] if snapshot.diagnosis and not is_stale(snapshot) else []
        marks = {(e["file"], e["line"]): e["why"] for e in found}
        code = self.query_one("#code CodeView", CodeView)
        suspects = () if is_stale(snapshot) else snapshot.suspects
        scores = {(line["path"], line["line"]): line["score"] for line in suspects}
        code.show(asked_files(snapshot), marks, scores)
        self.set_class(code.scored, "-scored")
        if found:
            code.goto(found[0]["file"], found[0]["line"])
        if not self.wants_before:
            said, files = proposed_change(snapshot, pick)
            self._show_diff(said, files)
        self.show_tests(snapshot, pick)
        self.query_one(Beside).show(snapshot.program, marks, scores)
        self.query_one("#diagnosis-text", Static).update(diagnosis_story(snapshot))
        self.query_one("#lessons-text", Static).update(lessons_story(snapshot))

    def on_tabbed_content_tab_activated(self, event: TabbedContent.TabActivated) -> None:
        """Show below what belongs to the tab."""
        self.query_one(Beside).follow(self.tab)

    def on_suite_table_case_shown(self, event: SuiteTable.CaseShown) -> None:
        """Show the line that the case under the cursor names."""
        self.query_one(Beside).reach(event.location)

    def make_room(self, room: bool) -> None:
        """Show the tests below the other tabs, or not; what is shown is drawn again there."""
        beside = self.query_one(Beside)
        if beside.has_room != room:
            beside.set_class(room, "-roomy")
            shown, self._shown = self._shown, None
            if shown is not None:
                self.show(*shown, past=self.has_class("-past"))

    @property
    def tab(self) -> str:
        """Id of the tab in front."""
        return self.query_one(TabbedContent).active

    @property
    def wants_before(self) -> bool:
        """Whether the Diff tab shows what the moment changed, for which the one before has to be loaded."""
        snapshot = self._shown[0] if self._shown else None
        return snapshot is not None and not snapshot.candidates and not snapshot.outcome and snapshot.iteration > 0

    def show_before(self, snapshot: Snapshot, before: Snapshot | None) -> None:
        """Show in the Diff tab what changed since `before`."""
        if before is None:
            self._show_diff("Nothing has changed since the start.", [])
            return
        moment = facts_of(before.node).done
        old = {**before.tests, **before.program}
        new = {**snapshot.tests, **snapshot.program}
        files = [(path, old.get(path, ""), new.get(path, "")) for path in sorted({*old, *new})]
        self._show_diff(f"Changed since iteration {before.iteration} ({moment})", files)

    def show_matrix(self, matrix: Matrix | None, said: str = "") -> None:
        """Show the cases over the runs that led to the moment; None shows what is `said` instead."""
        self.query_one(MatrixView).show(matrix["columns"] if matrix else (), matrix["cases"] if matrix else (), said)

    def show_calls(self, calls: Sequence[MomentCall], snapshot: Snapshot) -> None:
        """Show the newest model calls up to the moment."""
        self.query_one(CallsView).show(calls, snapshot.checkpoint_id)

    def show_history(self, snapshot: Snapshot, lineage: Sequence[Checkpoint]) -> None:
        """Tell in the transcript how it came to a past moment."""
        transcript = self.query_one("#transcript-past", Transcript)
        transcript.clear()
        self._write_moments(transcript, lineage)
        for step in snapshot.debug_steps:
            arguments = ", ".join(str(value) for value in step["arguments"].values() if value)
            transcript.fold(one_line(f"   {step['tool']} {arguments}", 200), [step["thought"], step["observation"]])

    def tell_history(self, lineage: Sequence[Checkpoint]) -> None:
        """Begin the transcript of a reopened session with what was before."""
        if lineage:
            transcript = self.query_one("#transcript-live", Transcript)
            self._write_moments(transcript, lineage)
            transcript.write_line("── opened again")

    def _write_moments(self, transcript: Transcript, lineage: Sequence[Checkpoint]) -> None:
        lines = [line for checkpoint in lineage if (line := moment_line(checkpoint))]
        if len(lines) > _MOMENTS:
            transcript.write_line(f"({len(lines) - _MOMENTS} earlier moments: T)")
        for line in lines[-_MOMENTS:]:
            transcript.write_line(line)

    def _show_diff(self, said: str, files: list[tuple[str, str, str]]) -> None:
        self.query_one("#diff-what", Static).update(Content(said))
        self.query_one(DiffView).show(files)

    def show_tests(self, snapshot: Snapshot, pick: str) -> None:
        """Show the suite's run over the candidate, or over the code now when there is none."""
        repair = snapshot.candidates.get(pick) or next(iter(snapshot.candidates.values()), None)
        if repair is not None and "report" in repair:
            self.show_report(snapshot, repair["report"], repair.get("fixes", ()), repair.get("breaks", ()))
        else:
            self.show_report(snapshot, report_now(snapshot))

    def show_report(
        self, snapshot: Snapshot, report: SuiteReport | None, fixes: Sequence[str] = (), breaks: Sequence[str] = ()
    ) -> None:
        """Show a run of the suite, with the cases that it turned."""
        table = self.query_one("#tests SuiteTable", SuiteTable)
        table.show(report, fixes, breaks, origins=snapshot.origins, pinned=snapshot.pinned)
        self.query_one(Beside).show_report(snapshot, report, fixes, breaks)

    def activate(self, tab: str) -> None:
        """Bring a tab to the front and focus what it shows."""
        self.query_one(TabbedContent).active = tab
        self.focus_view()

    def bring(self, tab: str) -> None:
        """Bring a tab to the front unless the user reads one that is not about the question; the focus stays."""
        tabs = self.query_one(TabbedContent)
        if tabs.active not in _LEFT_ALONE:
            tabs.active = tab

    def step_tab(self, step: int) -> None:
        """Go to the next (1) or previous (-1) tab."""
        tabs = [*TABS, *(["edit"] if self.editing else []), *(["try"] if self.trying else [])]
        active = self.query_one(TabbedContent).active
        at = tabs.index(active) if active in tabs else 0
        self.activate(tabs[(at + step) % len(tabs)])

    def focus_view(self) -> None:
        """Focus the view of the tab in front, so that arrows scroll it."""
        pane = self.front
        if pane is not None:
            view = next((w for w in pane.query(Widget) if w.focusable and w.display), None)
            # A hidden focus would be passed on inside its own tab, and bring that one back.
            (view or self.query_one(Tabs)).focus()

    @property
    def front(self) -> TabPane | None:
        """The tab in front."""
        return self.query_one(TabbedContent).active_pane

    @property
    def editing(self) -> bool:
        """Whether the editor is open."""
        return self.has_class("-editing")

    @property
    def trying(self) -> bool:
        """Whether the panel that tries things is open."""
        return self.has_class("-trying")

    async def open_try(self) -> None:
        """Bring the panel that tries things to the front; what was written there is kept."""
        self._before_try = self.tab if self.tab != "try" else self._before_try
        self.add_class("-trying")
        pane = await self._pane("try", TryPane)
        tabs = self.query_one(TabbedContent)
        self.screen.set_focus(pane.query_one(TryInput))
        self.call_after_refresh(tabs.get_tab("try").scroll_visible, animate=False)

    async def _pane(self, tab: str, kind: type[_Pane]) -> _Pane:
        """Bring a tab to the front that is there on request only; what it holds is mounted when it is first used."""
        tabs = self.query_one(TabbedContent)
        tabs.show_tab(tab)
        tabs.active = tab
        found = next(iter(self.query(kind)), None)
        if found is None:
            found = kind()
            await tabs.get_pane(tab).mount(found)
        return found

    def close_try(self) -> None:
        """Put the panel away and go back to the tab before it."""
        if self.trying:
            self.remove_class("-trying")
            self.query_one(TabbedContent).hide_tab("try")
            self.activate(self._before_try)

    async def open_editor(self, key: str, snapshot: Snapshot, pick: str, part: Mapping[str, str] | None = None) -> None:
        """Edit the program with the candidate's change in it, or a `part`; the same key finds the text again."""
        self.add_class("-editing")
        pane = await self._pane("edit", EditPane)
        repair = snapshot.candidates.get(pick)
        changes: Mapping[str, str] = part if part is not None else repair["changes"] if repair else {}
        kind: ReviewKind = "repair" if snapshot.candidates else "code"
        files = snapshot.tests if repair and repair.get("of_test") else asked_files(snapshot)
        pane.open(key, kind, files, changes)

    async def open_test_editor(self, key: str, path: str, text: str) -> None:
        """Edit one generated test file."""
        self.add_class("-editing")
        pane = await self._pane("edit", EditPane)
        pane.open(key, "tests", {path: text}, {})

    def close_editor(self, tab: str) -> None:
        """Put the editor away; its text is kept for the same question."""
        if self.editing:
            self.remove_class("-editing")
            self.query_one(TabbedContent).hide_tab("edit")
            self.activate(tab)

    def tell(self, event: Event) -> None:
        """Write an event into the transcript; tokens as they come."""
        transcript = self.query_one("#transcript-live", Transcript)
        match event:
            case TokenStreamed():
                transcript.append(event.text, event.by)
            case CallFinished() | CallWaits():
                transcript.write_line(log_line(event), event.by)
            case ToolCalled():
                transcript.fold(log_line(event), [event.thought, event.observation])
            case CaseFinished():
                transcript.add_case(event.case["outcome"], log_line(event).strip())
            case _:
                if isinstance(event, ENDS_STREAMS):
                    transcript.end_streams()
                if line := log_line(event):
                    transcript.write_line(line)
