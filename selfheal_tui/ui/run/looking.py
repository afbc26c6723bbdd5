"""Looking around on the run screen: another moment, another tab. Nothing here changes the session."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from selfheal_tui.engine.history.matrix import SuiteRun, build_matrix, suite_run, suite_runs
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.errors import SelfHealError

from ..screens.compare import other_moment
from ..view.model import back_to_now, earlier_moments, look_at, step_from
from ..view.past_answers import PastAnswer, decided_at
from .port import RunPort

if TYPE_CHECKING:
    from selfheal_tui.engine.history.saved_session import SavedSession

SLOW_S = 0.5
"""A load that takes longer says how far it is."""


class Looking:
    """Moves between moments and tabs, and loads what a tab shows beyond the moment itself."""

    PAUSE_S: ClassVar[float] = 0.06
    """Seconds that the cursor rests on a moment before it is shown."""

    def __init__(self, port: RunPort, session_id: str) -> None:
        self._port, self._session_id = port, session_id
        self._runs: dict[str, SuiteRun] = {}
        """Checkpoint id -> the run of the suite there; what was saved never changes."""
        self._filled: tuple[str, ...] = ()
        """What the tab in front was last filled for."""
        self._target = ""
        """The moment that is being loaded; empty when none is."""

    def look(self, checkpoint_id: str) -> None:
        """Show a moment."""
        self._target = checkpoint_id
        self._port.start_work("look", partial(self.go, checkpoint_id))

    def preview(self, checkpoint_id: str) -> None:
        """Show a moment once the cursor rests on it: while a key is held nothing is loaded or drawn."""
        self._target = checkpoint_id
        self._port.start_work("look", partial(self.go, checkpoint_id, self.PAUSE_S))

    async def go(self, checkpoint_id: str, after_s: float = 0.0) -> None:
        """Load a moment and show it, unless it is shown already."""
        if after_s:
            await asyncio.sleep(after_s)
        session = self._port.driver.saved
        if session is None or checkpoint_id == self._port.model.position:
            self._target = ""
            return
        try:
            snapshot = await session.snapshot(checkpoint_id)
            answers = await self._answers(session, snapshot)
        except SelfHealError as error:
            self._port.notify(str(error), severity="error", markup=False)
            return
        finally:
            # Cancelled by a step to another moment, that one is the target already.
            if self._target == checkpoint_id:
                self._target = ""
        self._port.show(look_at(self._port.model, snapshot, answers))

    async def _answers(self, session: SavedSession, snapshot: Snapshot) -> tuple[PastAnswer, ...]:
        """Read what was decided at a moment, or on the question that stood there."""
        answers = []
        for moment in decided_at(self._port.model.timeline, snapshot):
            answered = snapshot if moment == snapshot.checkpoint_id else await session.snapshot(moment)
            if answered.decision is not None:
                edit = await session.edit_of(answered)
                answers.append(PastAnswer(answered.decision, answered.branch, edit))
        return tuple(answers)

    async def answer_before(self) -> PastAnswer | None:
        """Return the answer to the question which an undo has opened again; None for none."""
        model, session = self._port.model, self._port.driver.saved
        if session is None or model.review is None or model.committed is None:
            return None
        children = model.timeline.children.get(model.review.checkpoint_id, ())
        answered = [at for at in children if model.timeline.checkpoints[at].decision is not None]
        moment = await session.snapshot(answered[-1]) if answered else None
        if moment is None or moment.decision is None:
            return None
        return PastAnswer(moment.decision, "", await session.edit_of(moment))

    def choose(self, checkpoint_id: str) -> None:
        """Show a moment and go to its evidence."""
        self.look(checkpoint_id)
        self._leave_timeline()

    def step(self, step: int) -> None:
        """Show the moment before or after the one that is shown, or that is about to be: no step is lost."""
        target = step_from(self._port.model, step, self._target)
        if target is not None:
            self.look(target)
        elif self._port.model.position is not None:
            self._port.notify("This is the first moment." if step < 0 else "This is the newest moment.", markup=False)

    def show_now(self) -> None:
        """Go back to the newest moment; there already, put the timeline away."""
        if self._port.model.past is None:
            self._leave_timeline()
        self.stay_now()

    def stay_now(self) -> None:
        """Go back to the newest moment; a look at another that is under way is given up."""
        self._target = ""
        self._port.stop_work("look")
        self._port.show(back_to_now(self._port.model))

    def turn_to_timeline(self) -> None:
        """Go to the timeline; from there, back to the evidence."""
        if self._port.timeline.has_focus:
            self._leave_timeline()
        else:
            self._port.show_timeline(True)
            self._port.timeline.focus()

    def _leave_timeline(self) -> None:
        self._port.show_timeline(False)
        self._port.evidence.tabs.focus_view()

    def step_tab(self, step: int) -> None:
        """Go to the next tab."""
        self._port.evidence.tabs.step(step)

    def compare(self) -> None:
        """Compare the moment shown with now; now, with another branch or the iteration before.

        Where a lane of a race is to be kept: its two best lanes.
        """
        model = self._port.model
        now, past = model.committed, model.past
        if past is None and model.race is not None and len(model.race.lanes) > 1:
            first, second, *_ = model.race.lanes
            self._port.app.show_compare(self._session_id, first.checkpoint_id, second.checkpoint_id)
        elif now is not None and now.checkpoint_id in model.timeline.checkpoints:
            a = past.checkpoint_id if past else other_moment(model.timeline, now.checkpoint_id)
            self._port.app.show_compare(self._session_id, a, now.checkpoint_id)

    def fill(self) -> None:
        """Fill the tab in front for the moment that is shown, unless it is already; another moment cancels it."""
        self._port.start_work("details", self._fill)

    async def _fill(self) -> None:
        session, model, evidence = self._port.driver.saved, self._port.model, self._port.evidence
        snapshot = model.shown
        if session is None or snapshot is None:
            return
        wanted = (evidence.tabs.active, snapshot.checkpoint_id, str(model.past is not None))
        if wanted == self._filled:
            return
        try:
            match evidence.tabs.active:
                case "matrix":
                    await self._fill_matrix(session, snapshot)
                case "calls":
                    from selfheal_tui.engine.history.calls import newest_calls

                    lineage = model.timeline.lineage(snapshot.checkpoint_id)
                    evidence.show_calls(await newest_calls(session, lineage), snapshot)
                case "diff" if evidence.wants_before:
                    evidence.show_before(snapshot, await self._earlier(session, snapshot))
                case "transcript" if model.past is not None:
                    evidence.transcript.show_past(snapshot, model.timeline.lineage(snapshot.checkpoint_id))
        except SelfHealError as error:
            self._port.notify(str(error), severity="error", markup=False)
        self._filled = wanted

    async def _fill_matrix(self, session: SavedSession, snapshot: Snapshot) -> None:
        ids = suite_runs(self._port.model.timeline, snapshot.checkpoint_id)
        began = time.monotonic()
        for number, run_id in enumerate(ids):
            if run_id in self._runs:
                continue
            if time.monotonic() - began > SLOW_S:
                self._port.evidence.show_matrix(None, f"Reading run {number + 1} of {len(ids)} …  (v next tab)")
            if (run := suite_run(await session.snapshot(run_id))) is not None:
                self._runs[run_id] = run
        runs = [self._runs[run_id] for run_id in ids if run_id in self._runs]
        self._port.evidence.show_matrix(await asyncio.to_thread(build_matrix, runs))

    async def _earlier(self, session: SavedSession, snapshot: Snapshot) -> Snapshot | None:
        """Return the newest earlier moment whose program or tests differ; None when there is none."""
        for earlier in earlier_moments(self._port.model.timeline, snapshot.checkpoint_id):
            before = await session.snapshot(earlier)
            if (before.program, before.tests) != (snapshot.program, snapshot.tests):
                return before
        return None
