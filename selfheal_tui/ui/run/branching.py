"""What the run screen does with branches: taking acts back, racing lanes, keeping a winner, the list of all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.message import Message

from selfheal_tui.engine.moment.events import RaceFinished
from selfheal_tui.engine.session.lanes import parse_race
from selfheal_tui.errors import SelfHealError

from ..kit.arming import Arming
from ..kit.inline_prompt import InlinePrompt
from ..screens.branches import BranchesScreen
from ..view.model import LiveView, Review, RunModel
from .answering import Answering
from .cards.review_card import ReviewCard
from .cards.side import Side

if TYPE_CHECKING:
    from ..app import SelfHealApp


class Branching(Answering):
    """A screen whose session has branches."""

    GRACE_S: ClassVar[float] = 8.0
    """Seconds for which an answer is followed by the word that it can be taken back."""
    app: SelfHealApp
    _arming: Arming
    _race_shown: RaceFinished | None = None

    # taking back

    def action_undo(self) -> None:
        """Interrupt what runs, and take the newest act back."""
        self._take_back(redo=False)

    def action_redo(self) -> None:
        """Do the act again that was taken back last."""
        self._take_back(redo=True)

    @work(group="branch", exclusive=True)
    async def _take_back(self, redo: bool) -> None:
        await self.take_back(redo)

    async def take_back(self, redo: bool = False) -> None:
        """Undo or redo one act, and show where the session stands then; nothing runs."""
        session = self.driver.session
        if session is None:
            return
        await self.driver.pause()
        try:
            undone = await (session.branches.redo() if redo else session.branches.undo())
        except SelfHealError as error:
            self.notify(str(error), severity="warning", markup=False)
            if self.model.running:
                await self._drive(session.resume())
            return
        self._grace("")
        await self.stand()
        self.notify(f"{'Did again' if redo else 'Undid'} {undone.words}.", markup=False)

    async def stand(self) -> None:
        """Show where the session stands, without running on."""
        session = self.driver.session
        head = await session.head() if session is not None else None
        if session is None or head is None:
            return
        try:
            timeline, snapshot = await session.timeline(), await session.snapshot(head)
            race, racing = await session.raced(), await session.branches.race() is not None
        except SelfHealError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        at = timeline.checkpoints[head]
        # A race that was interrupted goes on with its lanes: neither the question nor the end of this branch is next.
        review = Review(head, at.pending) if at.pending and not racing else None
        outcome = (at.outcome or "stopped") if not at.next and (race or not racing) else ""
        model = replace(self.model, timeline=timeline, committed=snapshot, live=LiveView(), lanes={}, race=race)
        self._show(replace(model, running=False, review=review, past=None, outcome=outcome, error=None))

    async def on_review_card_decided(self, event: ReviewCard.Decided) -> None:
        """Say for some seconds that the answer can be taken back."""
        self._grace("u takes your answer back")
        self.set_timer(self.GRACE_S, lambda: self._grace(""))

    def _grace(self, words: str) -> None:
        self.query_one(Side).grace(words)

    # branches

    @work(group="branch", exclusive=True)
    async def action_branches(self) -> None:
        """List all branches; nothing is waited for, so a run goes on behind the list."""
        session = self.driver.session
        if session is not None:
            self.app.push_screen(BranchesScreen(session, self), self._left_branches)

    def _left_branches(self, branch: str | None) -> None:
        if branch:
            self._go(branch)
        else:
            self.reload_tree()

    @work(group="branch", exclusive=True)
    async def _go(self, branch: str) -> None:
        session = self.driver.session
        if session is not None:
            await self.driver.pause()
            try:
                await session.branches.go(branch)
            except SelfHealError as error:
                self.notify(str(error), severity="error", markup=False)
            await self.stand()

    @work(group="reload", exclusive=True)
    async def reload_tree(self) -> None:
        """Show the tree as the store has it now."""
        session = self.driver.session
        if session is not None:
            # Awaited first: the model may be another one by then, and a look at the past must not be undone.
            timeline = await session.timeline()
            self._show(replace(self.model, timeline=timeline))

    # race

    def action_race(self) -> None:
        """Ask for the lanes."""
        self.query_one(Side).ask(
            "race",
            "Race from here. What each lane does differently, with | between:",
            "strategies=minimal | model=ollama:qwen3 | all max_calls=20 · enter races · esc cancels",
            "Two lanes at least: FIELD=VALUE | FIELD=VALUE",
        )

    async def on_inline_prompt_answered(self, event: InlinePrompt.Answered) -> None:
        """Race, when the line was opened for that."""
        if event.purpose != "race":
            return
        event.prevent_default()
        self._refocus()
        session, position = self.driver.session, self.model.position
        if session is None or position is None:
            return
        try:
            lanes, budget = parse_race(event.text)
        except SelfHealError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        await self._drive(session.race(position, lanes, budget))

    def action_pick(self, number: int) -> None:
        """Keep a lane of a race that is over, else show another candidate."""
        if lane := self._race_lane(number):
            self._keep(lane)
        else:
            super().action_pick(number)

    @work(group="branch", exclusive=True)
    async def _keep(self, lane: str) -> None:
        session, race = self.driver.session, self.model.race
        if session is not None and race is not None:
            await session.branches.keep(lane, [other.branch for other in race.lanes])
            self._grace("u takes the choice back")
            self.set_timer(self.GRACE_S, lambda: self._grace(""))
            await self.stand()

    def _race_lane(self, number: int) -> str:
        race = self.model.race
        if race is None or self.model.running or self.model.past is not None or number > len(race.lanes):
            return ""
        return race.lanes[number - 1].branch

    def _arm_race(self, model: RunModel) -> None:
        """The keys that keep a lane are heard once the lanes stand on the screen."""
        if model.race is not self._race_shown:
            self._race_shown = model.race
            if model.race is not None:
                self.call_after_refresh(lambda: self._arming.arm(Message().time))
            elif model.question is None:
                self._arming.disarm()
