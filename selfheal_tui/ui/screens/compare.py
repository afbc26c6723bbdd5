"""Two moments of a session side by side: code, tests, diagnosis, cases over the iterations, what each has cost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.messages import Prune
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static, TabbedContent, TabPane

from selfheal_tui.engine.history.matrix import suite_runs
from selfheal_tui.engine.moment.proposals import proposal_words
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.timeline import Timeline
from selfheal_tui.errors import InputError, SelfHealError

from ..kit.diff_view import DiffView
from ..kit.difftool import shown_outside
from ..kit.key_footer import KeyFooter
from ..kit.matrix_view import MatrixView
from ..kit.timeline_tree import TimelineTree
from ..kit.too_small import TooSmall
from ..view.comparison import diagnosis_content, overview_content, side_content

if TYPE_CHECKING:
    from selfheal_tui.engine.history.compare import Comparison
    from selfheal_tui.engine.session.session import Session

TABS = ("overview", "code", "tests", "diagnosis", "matrix")
SLOW_S = 0.5
"""A comparison that takes longer says how far it is."""


class CompareScreen(Screen[None]):
    """Reads only; the session stays with the screen below."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Back", key_display="esc", id="compare.close", tooltip="Back to the run"),
        Binding("v", "view(1)", "View", id="compare.view", tooltip="The next tab"),
        Binding("V", "view(-1)", "Previous view", show=False, id="compare.view_back", tooltip="The previous tab"),
        Binding("a", "choose('a')", "Choose A", id="compare.a", tooltip="Choose the moment at the left"),
        Binding("b", "choose('b')", "Choose B", id="compare.b", tooltip="Choose the moment at the right"),
        Binding(
            "O",
            "difftool",
            "Diff tool",
            key_display="O",
            id="compare.difftool",
            tooltip="Show the diff in your own tool",
        ),
        Binding("x", "swap", "Swap", id="compare.swap", tooltip="Exchange A and B"),
        Binding("question_mark", "app.help", "Help", key_display="?", id="compare.help", tooltip="All keys"),
    ]
    DEFAULT_CSS = """
    CompareScreen {
        #compare-sides { height: auto; max-height: 5; padding: 0 1; background: $panel; }
        TabbedContent { height: 1fr; }
        ContentSwitcher { height: 1fr; }
        TabPane { padding: 0; height: 1fr; }
        TabPane > * { height: 1fr; }
        #overview-text, #diagnosis-text { height: auto; padding: 0 1; }
    }
    """

    def __init__(self, session: Session, timeline: Timeline, a: str, b: str, reader: Screen[Any]) -> None:
        """`a` and `b` are checkpoints or branches; `reader` is the screen that holds the session open."""
        super().__init__()
        self._session, self._timeline, self._reader = session, timeline, reader
        self.a, self.b = moment_id(timeline, a), moment_id(timeline, b)
        self.found: Comparison | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="compare-sides", markup=False)
        with TabbedContent(initial="overview"):
            with TabPane("Overview", id="overview"), VerticalScroll(can_focus=True):
                yield Static(id="overview-text", markup=False)
            with TabPane("Code", id="code"):
                yield DiffView(id="code-diff")
            with TabPane("Tests", id="tests"):
                yield DiffView(id="tests-diff")
            with TabPane("Diagnosis", id="diagnosis"), VerticalScroll(can_focus=True):
                yield Static(id="diagnosis-text", markup=False)
            with TabPane("Matrix", id="matrix"):
                yield MatrixView()
        yield KeyFooter()
        yield TooSmall()

    def on_mount(self) -> None:
        """Compare once painted."""
        self._compare()
        self._focus_view()

    def _compare(self) -> None:
        self._say("Comparing …")
        self._reader.run_worker(self._load(self.a, self.b), group="compare", exclusive=True)

    async def _load(self, a: str, b: str) -> None:
        from selfheal_tui.engine.history.compare import compare

        began = time.monotonic()
        runs: dict[str, Snapshot] = {}
        try:
            one, other = await self._session.snapshot(a), await self._session.snapshot(b)
            ids = dict.fromkeys([*suite_runs(self._timeline, a), *suite_runs(self._timeline, b)])
            for number, run_id in enumerate(ids, 1):
                if time.monotonic() - began > SLOW_S:
                    self._say(f"Reading run {number} of {len(ids)} …  esc back")
                runs[run_id] = await self._session.snapshot(run_id)
        except SelfHealError as error:
            self._say(f"! {error}")
            return
        comparison = await asyncio.to_thread(compare, self._timeline, one, other, runs)
        if (a, b) == (self.a, self.b):
            self.show(comparison, one, other)

    def show(self, comparison: Comparison, a: Snapshot, b: Snapshot) -> None:
        """Show a comparison."""
        self.found = comparison
        self.query_one("#compare-sides", Static).update(
            Content("\n").join([side_content("A", comparison["a"], a), side_content("B", comparison["b"], b)])
        )
        self.query_one("#overview-text", Static).update(
            overview_content(comparison, (proposal_words(a)[0], proposal_words(b)[0]))
        )
        self.query_one("#diagnosis-text", Static).update(diagnosis_content(comparison["diagnosis"]))
        self.query_one("#code-diff", DiffView).show(changed(a.program, b.program), named=len(a.program) > 1)
        self.query_one("#tests-diff", DiffView).show(changed(a.tests, b.tests), named=len(a.tests) > 1)
        self.query_one(MatrixView).show(comparison["columns"], comparison["cases"])

    def action_view(self, step: int) -> None:
        """Go to the next tab."""
        tabs = self.query_one(TabbedContent)
        tabs.active = TABS[(TABS.index(tabs.active) + step) % len(TABS)]
        self.refresh_bindings()
        self._focus_view()

    def action_swap(self) -> None:
        """Exchange the two."""
        self.a, self.b = self.b, self.a
        self._compare()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the tool where a diff is shown."""
        return action != "difftool" or bool(self._diffs())

    def _diffs(self) -> Sequence[tuple[str, str, str]]:
        pane = self.query_one(TabbedContent).active_pane if self.is_mounted else None
        view = next(iter(pane.query(DiffView)), None) if pane is not None else None
        return view.files if view is not None else ()

    def action_difftool(self) -> None:
        """Show the diff in the user's own tool; what is changed there goes nowhere."""
        try:
            changed = shown_outside(self.app, self._diffs())
        except InputError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        if changed:
            self.notify("What you changed there is not taken: nothing is asked here.", markup=False)

    def action_choose(self, side: str) -> None:
        """Choose another moment from the tree."""
        at = self.a if side == "a" else self.b

        def chosen(checkpoint_id: str | None) -> None:
            if checkpoint_id is not None:
                self.a, self.b = (checkpoint_id, self.b) if side == "a" else (self.a, checkpoint_id)
                self._compare()

        self.app.push_screen(ChooseMoment(self._timeline, at, side.upper()), chosen)

    def action_close(self) -> None:
        """Back to the run."""
        self.dismiss()

    @on(Prune)
    def _end_comparing(self) -> None:
        self._reader.workers.cancel_group(self._reader, "compare")

    def _say(self, text: str) -> None:
        self.query_one("#compare-sides", Static).update(Content(text))

    def _focus_view(self) -> None:
        pane = self.query_one(TabbedContent).active_pane
        view = next((w for w in pane.query(Widget) if w.focusable and w.display), None) if pane is not None else None
        if view is not None:
            view.focus()


class ChooseMoment(ModalScreen[str | None]):
    """The timeline, to choose a moment from; returns its checkpoint."""

    DEFAULT_CSS = """
    ChooseMoment {
        align: center middle;
        TimelineTree { width: 60; max-width: 94%; height: 80%; border: round $accent; background: $surface;
                       border-title-color: $text-accent; border-title-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Cancel", id="choose.leave", tooltip="Keep the moment that is compared")
    ]

    def __init__(self, timeline: Timeline, at: str, name: str) -> None:
        super().__init__()
        self._timeline, self._at, self._name = timeline, at, name

    def compose(self) -> ComposeResult:
        yield TimelineTree()

    def on_mount(self) -> None:
        """Show the tree with the cursor on the moment that is compared now."""
        tree = self.query_one(TimelineTree)
        tree.border_title = f"Moment {self._name}"
        tree.border_subtitle = "enter chooses · esc cancels"
        tree.show(self._timeline, self._at)
        tree.focus()

    def on_timeline_tree_chosen(self, event: TimelineTree.Chosen) -> None:
        """Take it."""
        event.stop()
        self.dismiss(event.checkpoint_id)

    def action_leave(self) -> None:
        """Take none."""
        self.dismiss(None)


def moment_id(timeline: Timeline, name: str) -> str:
    """Return the checkpoint of a branch's head, or the id as it is."""
    branch = timeline.branches.get(name)
    return branch.head if branch is not None else name


def other_moment(timeline: Timeline, now: str) -> str:
    """Return what to compare a moment with when nothing was chosen.

    The newest head of another branch, unless it is hidden, as a branch is that was taken back; without one the end of
    the iteration before; else the first moment.
    """
    at = timeline.checkpoints[now]
    heads = [branch.head for branch in timeline.branches.values() if branch.name != at.branch and not branch.hidden]
    if heads:
        places = {checkpoint_id: place for place, checkpoint_id in enumerate(timeline.checkpoints)}
        return max(heads, key=places.__getitem__)
    *earlier, _ = timeline.lineage(now)
    older = next((c.id for c in reversed(earlier) if c.iteration < at.iteration), None)
    return older or (earlier[0].id if earlier else now)


def changed(old: Any, new: Any) -> Sequence[tuple[str, str, str]]:
    """Return (path, old text, new text) of the files of either side that differ."""
    return [(path, old.get(path, ""), new.get(path, "")) for path in sorted({*old, *new})]
