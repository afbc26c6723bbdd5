"""Looking around on the run screen: another moment, another tab. Nothing here changes the session."""

from __future__ import annotations

from textual import work

from selfheal_tui.errors import SelfHealError

from ..model import back_to_now, look_at, step_from
from ..widgets.evidence import Evidence
from ..widgets.timeline_tree import TimelineTree
from .answering import Answering


class Looking(Answering):
    """A screen whose tree, tabs and travel keys show moments of its session."""

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
        """Back to the newest moment; there already, put the timeline away."""
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
