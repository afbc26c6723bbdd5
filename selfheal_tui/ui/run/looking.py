"""Looking around on the run screen: another moment, another tab. Nothing here changes the session."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from textual import work
from textual.widgets import TabbedContent

from selfheal_tui.engine.history.matrix import SuiteRun, build_matrix, suite_run, suite_runs
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.errors import SelfHealError

from ..kit.timeline_tree import TimelineTree
from ..screens.compare import other_moment
from ..view.model import back_to_now, earlier_moments, look_at, step_from
from .answering import Answering
from .tabs.evidence import Evidence

if TYPE_CHECKING:
    from selfheal_tui.engine.session.session import Session

    from ..app import SelfHealApp

SLOW_S = 0.5
"""A load that takes longer says how far it is."""


class Looking(Answering):
    """A screen whose tree, tabs and travel keys show moments of its session."""

    app: SelfHealApp
    session_id: str

    def __init__(self) -> None:
        super().__init__()
        self._runs: dict[str, SuiteRun] = {}
        """Checkpoint id -> the run of the suite there; what was saved never changes."""
        self._filled: tuple[str, ...] = ()
        """What the tab in front was last filled for."""

    def on_timeline_tree_highlighted(self, event: TimelineTree.Highlighted) -> None:
        """Show the moment under the cursor."""
        self._look(event.checkpoint_id)

    def on_timeline_tree_chosen(self, event: TimelineTree.Chosen) -> None:
        """Show the moment and go to its evidence."""
        self._look(event.checkpoint_id)
        self.remove_class("-timeline")
        self._refocus()

    @work(group="look", exclusive=True)
    async def _look(self, checkpoint_id: str) -> None:
        session = self.driver.session
        if session is None or checkpoint_id == self.model.position:
            return
        try:
            snapshot = await session.snapshot(checkpoint_id)
        except SelfHealError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        self._show(look_at(self.model, snapshot))

    def action_step(self, step: int) -> None:
        """Show the moment before or after the one that is shown."""
        target = step_from(self.model, step)
        if target is not None:
            self._look(target)

    def action_now(self) -> None:
        """Back to the newest moment; there already, put the timeline away. What is waited for is given up first."""
        if self.stop_waiting():
            return
        if self.model.past is None:
            self.remove_class("-timeline")
            self._refocus()
        self._show(back_to_now(self.model))

    def action_timeline(self) -> None:
        """Go to the timeline; from there, back to the evidence."""
        tree = self.query_one(TimelineTree)
        if tree.has_focus:
            self.remove_class("-timeline")
            self._refocus()
        else:
            self.add_class("-timeline")
            tree.focus()

    def action_view(self, step: int) -> None:
        """Go to the next tab."""
        self.query_one(Evidence).step_tab(step)

    def action_compare(self) -> None:
        """Compare the moment shown with now; now, with another branch or the iteration before."""
        now, past = self.model.committed, self.model.past
        if now is not None and now.checkpoint_id in self.model.timeline.checkpoints:
            a = past.checkpoint_id if past else other_moment(self.model.timeline, now.checkpoint_id)
            self.app.show_compare(self.session_id, a, now.checkpoint_id)

    def on_tabbed_content_tab_activated(self, event: TabbedContent.TabActivated) -> None:
        """Load what this tab shows beyond the moment itself."""
        self._fill()

    @work(group="details", exclusive=True)
    async def _fill(self) -> None:
        """Fill the tab in front for the moment that is shown, unless it is already; another moment cancels it."""
        session, shown, evidence = self.driver.session, self.model.shown, self.query_one(Evidence)
        if session is None or shown is None:
            return
        wanted = (evidence.tab, shown.checkpoint_id, str(self.model.past is not None))
        if wanted == self._filled:
            return
        try:
            match evidence.tab:
                case "matrix":
                    await self._fill_matrix(session, shown)
                case "calls":
                    from selfheal_tui.engine.history.calls import newest_calls

                    lineage = self.model.timeline.lineage(shown.checkpoint_id)
                    evidence.show_calls(await newest_calls(session, lineage), shown)
                case "diff" if evidence.wants_before:
                    evidence.show_before(shown, await self._earlier(session, shown))
                case "transcript" if self.model.past is not None:
                    evidence.show_history(shown, self.model.timeline.lineage(shown.checkpoint_id))
        except SelfHealError as error:
            self.notify(str(error), severity="error", markup=False)
        self._filled = wanted

    async def _fill_matrix(self, session: Session, shown: Snapshot) -> None:
        ids = suite_runs(self.model.timeline, shown.checkpoint_id)
        began = time.monotonic()
        for number, run_id in enumerate(ids):
            if run_id in self._runs:
                continue
            if time.monotonic() - began > SLOW_S:
                self.query_one(Evidence).show_matrix(None, f"Reading run {number + 1} of {len(ids)} …  (v leaves)")
            if (run := suite_run(await session.snapshot(run_id))) is not None:
                self._runs[run_id] = run
        runs = [self._runs[run_id] for run_id in ids if run_id in self._runs]
        self.query_one(Evidence).show_matrix(await asyncio.to_thread(build_matrix, runs))

    async def _earlier(self, session: Session, shown: Snapshot) -> Snapshot | None:
        """Return the newest earlier moment whose program or tests differ; None when there is none."""
        for earlier in earlier_moments(self.model.timeline, shown.checkpoint_id):
            before = await session.snapshot(earlier)
            if (before.program, before.tests) != (shown.program, shown.tests):
                return before
        return None
