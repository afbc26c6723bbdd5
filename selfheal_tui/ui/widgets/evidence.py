"""The tabs that show one moment: code, diff, tests, diagnosis, log; and the editor while one is open."""

from __future__ import annotations

from collections.abc import Mapping

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static, TabbedContent, TabPane

from selfheal_tui.engine.events import (
    CallFinished,
    CallWaits,
    CandidateRehearsed,
    CaseFinished,
    CheckpointSaved,
    Event,
    NodeStarted,
    Noticed,
    PromptShortened,
    ReviewRequested,
    RunFailed,
    RunFinished,
    SearchProgressed,
    StrategyEnded,
    TokenStreamed,
    ToolCalled,
)
from selfheal_tui.engine.review import ReviewKind
from selfheal_tui.engine.snapshot import Snapshot
from selfheal_tui.text import one_line, plural, strip_controls

from ..model import REVIEW_NODES
from ..words import MOMENTS, NODES, counts, decision_words, outcome_words, report_now
from .code_view import CodeView
from .diagnosis_card import diagnosis_content, steps_content
from .diff_view import DiffView
from .edit_pane import EditPane
from .suite_table import SuiteTable
from .transcript import Transcript

_QUIET = ("plan", "learn", "conclude")
"""Nodes that do nothing worth a line."""
TABS = ("code", "diff", "tests", "diagnosis", "log")


class Evidence(Vertical):
    """Shows a snapshot; a past one under a banner that says so."""

    DEFAULT_CSS = """
    Evidence {
        #past-banner { height: 1; display: none; background: $warning 25%; padding: 0 1; }
        &.-past #past-banner { display: block; }
        TabbedContent { height: 1fr; }
        ContentSwitcher { height: 1fr; }
        TabPane { padding: 0; height: 1fr; }
        TabPane > * { height: 1fr; }
        #diagnosis-text { height: auto; padding: 1; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: tuple[Snapshot, str] | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="past-banner")
        with TabbedContent(initial="code"):
            with TabPane("Code", id="code"):
                yield CodeView()
            with TabPane("Diff", id="diff"):
                yield DiffView()
            with TabPane("Tests", id="tests"):
                yield SuiteTable()
            with TabPane("Diagnosis", id="diagnosis"), VerticalScroll(can_focus=True):
                yield Static(id="diagnosis-text")
            with TabPane("Log", id="log"):
                yield Transcript()
            with TabPane("Edit", id="edit"):
                yield EditPane()

    def on_mount(self) -> None:
        """Offer the editor only while something is edited."""
        self.query_one(TabbedContent).hide_tab("edit")

    def show(self, snapshot: Snapshot, pick: str, past: bool) -> None:
        """Show the snapshot in all tabs; `pick` is the candidate whose change and tests are shown."""
        if past:
            seen = MOMENTS.get(snapshot.node, snapshot.node)
            where = f" now · {seen} · {snapshot.branch} · iteration {snapshot.iteration}"
            self.query_one("#past-banner", Static).update(
                Content.assemble((" ◷ PAST ", "bold reverse $warning"), ("  n", "bold $text-accent"), where)
            )
        self.set_class(past, "-past")
        if self._shown is not None and self._shown[0] is snapshot and self._shown[1] == pick:
            return
        self._shown = (snapshot, pick)
        repair = snapshot.candidates.get(pick) or next(iter(snapshot.candidates.values()), None)
        found = snapshot.diagnosis["evidence"] if snapshot.diagnosis else []
        marks = {(e["file"], e["line"]): e["why"] for e in found}
        code = self.query_one(CodeView)
        code.show(asked_files(snapshot), marks)
        if found:
            code.goto(found[0]["file"], found[0]["line"])
        self.query_one(DiffView).show(changed_files(snapshot, pick))
        if repair is not None and "report" in repair:
            turned = repair.get("fixes", ()), repair.get("breaks", ())
            self.query_one(SuiteTable).show(repair["report"], *turned, origins=snapshot.origins, pinned=snapshot.pinned)
        else:
            self.query_one(SuiteTable).show(report_now(snapshot), origins=snapshot.origins, pinned=snapshot.pinned)
        self.query_one("#diagnosis-text", Static).update(_story(snapshot))

    def activate(self, tab: str) -> None:
        """Bring a tab to the front and focus what it shows."""
        self.query_one(TabbedContent).active = tab
        self.focus_view()

    def bring(self, tab: str) -> None:
        """Bring a tab to the front unless the user reads the tests or the log; the focus stays where it is."""
        tabs = self.query_one(TabbedContent)
        if tabs.active in ("code", "diff", "diagnosis"):
            tabs.active = tab

    def step_tab(self, step: int) -> None:
        """Go to the next (1) or previous (-1) tab."""
        tabs = [*TABS, "edit"] if self.editing else list(TABS)
        active = self.query_one(TabbedContent).active
        at = tabs.index(active) if active in tabs else 0
        self.activate(tabs[(at + step) % len(tabs)])

    def focus_view(self) -> None:
        """Focus the view of the tab in front, so that arrows scroll it."""
        pane = self.query_one(TabbedContent).active_pane
        if pane is not None:
            view = next((w for w in pane.query(Widget) if w.focusable and w.display), None)
            if view is not None:
                view.focus()

    @property
    def editing(self) -> bool:
        """Whether the editor is open."""
        return self.has_class("-editing")

    def open_editor(self, key: str, snapshot: Snapshot, pick: str) -> None:
        """Edit the program with the candidate's change in it; the same key finds the text left before."""
        self.add_class("-editing")
        tabs = self.query_one(TabbedContent)
        tabs.show_tab("edit")
        tabs.active = "edit"
        repair = snapshot.candidates.get(pick)
        changes: Mapping[str, str] = repair["changes"] if repair else {}
        kind: ReviewKind = "repair" if snapshot.candidates else "code"
        files = snapshot.tests if repair and repair.get("of_test") else asked_files(snapshot)
        self.query_one(EditPane).open(key, kind, files, changes)

    def open_test_editor(self, key: str, path: str, text: str) -> None:
        """Edit one generated test file."""
        self.add_class("-editing")
        tabs = self.query_one(TabbedContent)
        tabs.show_tab("edit")
        tabs.active = "edit"
        self.query_one(EditPane).open(key, "tests", {path: text}, {})

    def close_editor(self, tab: str) -> None:
        """Put the editor away; its text is kept for the same question."""
        if self.editing:
            self.remove_class("-editing")
            self.query_one(TabbedContent).hide_tab("edit")
            self.activate(tab)

    def tell(self, event: Event) -> None:
        """Write an event into the log; tokens as they come."""
        log = self.query_one(Transcript)
        if isinstance(event, TokenStreamed):
            log.append(event.text)
        elif line := log_line(event):
            log.write_line(line)


def asked_files(snapshot: Snapshot) -> Mapping[str, str]:
    """Return what the Code tab shows: the program, or tests that wait for their review."""
    about_tests = snapshot.node in ("write_spec_tests", "write_adversarial_tests") and snapshot.suite_files
    return snapshot.suite_files if about_tests else snapshot.program


def changed_files(snapshot: Snapshot, pick: str = "") -> list[tuple[str, str, str]]:
    """Return (path, old, new): the candidate against the code now, or all changes so far when there is none."""
    repair = snapshot.candidates.get(pick) or next(iter(snapshot.candidates.values()), None)
    if repair is not None:
        now = {**snapshot.tests, **snapshot.program}
        return [(path, now.get(path, ""), text) for path, text in repair["changes"].items()]
    return [
        (path, snapshot.base.get(path, ""), text)
        for path, text in snapshot.program.items()
        if text != snapshot.base.get(path)
    ]


def log_line(event: Event) -> str:
    """Return an event as one line of the log; empty for those that are shown elsewhere."""
    match event:
        case NodeStarted():
            return (
                ""
                if event.node in (*REVIEW_NODES, "plan", "learn", "conclude")
                else f"── {NODES.get(event.node, event.node)}"
            )
        case CallFinished():
            tokens = event.usage.input_tokens + event.usage.output_tokens
            how = "replayed" if event.replayed else f"{tokens} tokens"
            doubt = f" · {one_line(event.degraded)}" if event.degraded else ""
            return f"   {event.role} · {event.model} · {how}{doubt}"
        case CallWaits():
            return f"   {event.role} · {one_line(event.why)} Asks again in {event.seconds:.0f} s."
        case PromptShortened():
            return f"   {event.role} · {event.words()}"
        case CaseFinished():
            return (
                f"   {event.case['outcome']:<8}{one_line(event.case['id'])}  {one_line(event.case['message'])}".rstrip()
            )
        case CandidateRehearsed():
            return f"   candidate {event.label}: fixes {event.fixes}, breaks {event.breaks}"
        case StrategyEnded():
            return f"   {event.strategy}: {one_line(event.why)}"
        case ToolCalled():
            return f"   {event.tool} {one_line(event.arguments)} · {one_line(event.observation, 160)}"
        case Noticed():
            return f"   ! {one_line(event.text)}"
        case CheckpointSaved():
            decision = event.checkpoint.decision
            if decision is None:
                return ""
            note = f": {one_line(decision.get('note', ''))}" if decision.get("note") else ""
            return f"   {decision_words(decision)}{note}"
        case ReviewRequested():
            return f"◆  your decision: {event.kind}"
        case RunFinished():
            glyph, word, _ = outcome_words(event.snapshot.outcome)
            return f"{glyph}  {word} {one_line(event.snapshot.reason)}".rstrip()
        case RunFailed():
            return f"!  {one_line(str(event.error))}"
        case SearchProgressed() | TokenStreamed():
            return ""


def _story(snapshot: Snapshot) -> Content:
    dim = "$foreground 60%"
    parts: list[Content] = [diagnosis_content(snapshot.diagnosis), steps_content(snapshot.debug_steps)]
    if snapshot.feedback:
        parts.append(Content.styled("\n\nWhat you said", dim))
        parts += [Content(f"\n“{strip_controls(note)}”") for note in snapshot.feedback]
    if snapshot.records:
        parts.append(Content.styled(f"\n\n{plural(len(snapshot.records), 'repair')} decided, newest first", dim))
        for record in snapshot.records:
            note = f"  “{one_line(record['note'])}”" if record["note"] else ""
            parts.append(Content(f"\n{record['iteration']}. {decision_words(record)}{note}"))
    for title, texts in (
        ("Learnt so far", snapshot.lessons),
        ("From other sessions", snapshot.offered),
        ("Rules in force", [f"{r['name']}: mends all, breaks none, {r['max_lines']} lines" for r in snapshot.rules]),
        ("Opinions of the critic", snapshot.opinions),
    ):
        if texts:
            parts.append(Content.styled(f"\n\n{title}", dim))
            parts += [Content(f"\n· {strip_controls(text)}") for text in texts]
    if counts(snapshot):
        parts.append(Content.styled(f"\n\nTests at this moment: {counts(snapshot)}", dim))
    if snapshot.spec.strip():
        parts += [Content.styled("\n\nSpec\n", dim), Content(strip_controls(snapshot.spec).strip())]
    return Content("").join(parts)
