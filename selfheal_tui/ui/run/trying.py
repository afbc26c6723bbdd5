"""Trying on the run screen, without moving the run: what some hunks, an edited text or a piece of Python would do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.message import Message

from selfheal_tui.engine.moment.review import NOTE_LIMIT, Answer
from selfheal_tui.engine.workshop.trial import SuiteTried, Tried, tried_words
from selfheal_tui.errors import SelfHealError
from selfheal_tui.sandbox.base import CaseFinished

from ..kit.arming import Arming
from ..kit.diff_view import DiffView
from ..view.selection import Selection, whole
from .answering import Answering
from .cards.repair import RepairCard
from .cards.side import Side
from .tabs.edit_pane import EditPane
from .tabs.evidence import Evidence
from .tabs.try_cases import TryCases
from .tabs.try_pane import TryPane


class Trying(Answering):
    """A screen that shows what a choice does before it is decided on."""

    HUNK_PAUSE_S: ClassVar[float] = 0.25
    """Seconds after the newest choice of hunks before it is tried."""
    _arming: Arming
    _choice: tuple[str, str] | None = None
    """Checkpoint of the question and label of the candidate whose hunks are chosen among."""

    def __init__(self) -> None:
        super().__init__()
        self._chosen: dict[tuple[str, str], Selection] = {}
        self._known: dict[tuple[str, str, frozenset[int]], SuiteTried] = {}
        """Checkpoint, candidate, hunks left out -> what the others do."""
        self._tried: list[Tried] = []
        self._attached: dict[str, list[Tried]] = {}
        """Checkpoint of a question -> what goes with its answer."""
        self._turn_to_try = asyncio.Lock()
        self._on_code = False
        """Try on the code now, although there is a repair."""

    def follow_card(self) -> None:
        """Let the hunks of the shown candidate be chosen where there are several; say what goes with the decision."""
        card, diff = self._card, self.query_one(DiffView)
        if card is not None and card.review is not None:
            card.attach([tried_words(tried) for tried in self._attached.get(card.review.checkpoint_id, ())])
        if not isinstance(card, RepairCard) or card.repair is None or card.review is None:
            self._choice = None
            diff.choose(None)
            return
        choice = card.review.checkpoint_id, card.label
        if self._choice == choice:
            return
        self._choice = choice
        self.workers.cancel_group(self, "try")
        chosen = self._chosen.get(choice)
        diff.choose(None if diff.hunks < 2 else chosen.left if chosen else frozenset())
        if chosen is not None:
            self._take(card, chosen)

    @property
    def can_choose(self) -> bool:
        """Whether there are hunks to take and leave in front of the user."""
        return (
            self._choice is not None and self.query_one(DiffView).hunks > 1 and self.query_one(Evidence).tab == "diff"
        )

    def action_hunk(self) -> None:
        """Take or leave the hunk under the cursor."""
        self._turn(self.query_one(DiffView).hunk)

    def on_diff_view_pressed(self, event: DiffView.Pressed) -> None:
        """Take or leave the hunk that was clicked."""
        if self._arming.armed and self.can_choose:
            self._turn(event.number)

    def _turn(self, number: int) -> None:
        card = self._card
        if not isinstance(card, RepairCard) or card.repair is None or card.snapshot is None:
            return
        before = card.selection or whole(card.snapshot, card.repair)
        self._take(card, Selection(before.total, before.left ^ {number}))

    def _take(self, card: RepairCard, selection: Selection) -> None:
        assert self._choice is not None
        selection = replace(selection, tried=self._known.get((*self._choice, selection.left)), error="")
        self._chosen[self._choice] = selection
        self.query_one(DiffView).choose(selection.left)
        self._show_selection(card, selection)
        self.workers.cancel_group(self, "try")
        if selection.tried is None and selection.left and selection.taken:
            self._try_hunks(card, selection)

    @work(group="try", exclusive=True)
    async def _try_hunks(self, card: RepairCard, selection: Selection) -> None:
        await asyncio.sleep(self.HUNK_PAUSE_S)
        session, snapshot, repair, choice = self.driver.session, card.snapshot, card.repair, self._choice
        if session is None or snapshot is None or repair is None or choice is None:
            return
        try:
            changes = selection.changes(snapshot, repair)
            async with aclosing(session.try_suite(choice[0], changes)) as events:
                async for event in events:
                    if isinstance(event, SuiteTried):
                        selection = replace(selection, tried=event)
                        self._known[*choice, selection.left] = event
        except SelfHealError as error:
            selection = replace(selection, error=str(error))
        self._show_selection(card, selection)

    # the editor

    def on_edit_pane_typed(self) -> None:
        """What runs is over a text that is gone."""
        self.workers.cancel_group(self, "try")

    def on_edit_pane_paused(self, event: EditPane.Paused) -> None:
        """Run the suite over the text as it is."""
        position = self.model.position
        if position is not None and self.query_one(Evidence).editing:
            self._try_texts(position, event.changes)

    @on(EditPane.Left)
    @on(EditPane.Submitted)
    def _stop_trying(self) -> None:
        """Nobody looks any more, or the run itself tests it now."""
        self.query_one(EditPane).close()
        self.workers.cancel_group(self, "try")

    @work(group="try", exclusive=True)
    async def _try_texts(self, position: str, changes: Mapping[str, str]) -> None:
        session, cases = self.driver.session, self.query_one(TryCases)
        if session is None:
            return
        cases.begin()
        try:
            async with aclosing(session.try_suite(position, changes)) as events:
                async for event in events:
                    match event:
                        case SuiteTried():
                            cases.finish(event)
                        case CaseFinished(case):
                            cases.tell(case)
        except SelfHealError as error:
            cases.refuse(str(error))

    # Python and cases

    async def action_try(self) -> None:
        """Open the panel."""
        self.query_one(Side).add_class("-trying")
        await self.query_one(Evidence).open_try()
        self._show_tried()

    @on(TryPane.Left)
    def _close_try(self) -> None:
        """Put the panel away; what runs there is stopped."""
        self.workers.cancel_group(self, "try")
        self.query_one(Side).remove_class("-trying")
        self.query_one(Evidence).close_try()

    def on_try_pane_switched(self) -> None:
        """Try on the repair, or on the code now."""
        self._on_code = not self._on_code
        self._show_tried()

    def on_try_pane_attached(self) -> None:
        """Let the newest result go with the decision, or not."""
        question = self.model.question
        if question is None or not self._tried:
            return
        attached, newest = self._attached.setdefault(question.checkpoint_id, []), self._tried[-1]
        if newest in attached:
            attached.remove(newest)
        else:
            attached.append(newest)
        self._show_tried()

    @work(group="try")
    async def on_try_pane_asked(self, event: TryPane.Asked) -> None:
        """Try the text on what is shown, after those before it."""
        async with self._turn_to_try:
            await self._try_text(event.text)

    async def _try_text(self, text: str) -> None:
        session, position = self.driver.session, self.model.position
        if session is None or position is None:
            return
        of, changes, _ = self._on_what()
        self._show_tried(text)
        try:
            self._tried.append(await session.try_text(position, text, changes, of))
        except SelfHealError as error:
            self.notify(str(error), severity="error", markup=False)
        finally:
            if self.is_mounted:
                self._show_tried()

    def with_attached(self, checkpoint_id: str, answer: Answer) -> Answer:
        """Put what was tried and attached into the note, which reaches the next attempt and the reports."""
        lines = [f"Tried: {tried_words(tried)}" for tried in self._attached.get(checkpoint_id, ())]
        if not lines:
            return answer
        note = "\n".join([answer.get("note", ""), *lines]).strip()
        return {**answer, "note": note[:NOTE_LIMIT]}

    def _show_tried(self, running: str = "") -> None:
        of, _, other = self._on_what()
        question = self.model.question
        attached = self._attached.get(question.checkpoint_id, []) if question else []
        pane = self.query_one(TryPane)
        pane.show(of, other, self._tried, attached, running, decides=question is not None)
        self.follow_card()

    def _on_what(self) -> tuple[str, Mapping[str, str], str]:
        """Return what is tried on in words, its changes over the moment's files, and what else there is."""
        card = self._card
        if not isinstance(card, RepairCard) or card.repair is None or card.snapshot is None:
            return "the code", {}, ""
        place = card.labels.index(card.label) + 1
        repair, changes = f"repair {place}", card.repair["changes"]
        if card.selection is not None and card.selection.left:
            numbers = ", ".join(map(str, card.selection.taken)) or "none"
            repair, changes = f"repair {place} (hunks {numbers})", card.selection.changes(card.snapshot, card.repair)
        return ("the code", {}, repair) if self._on_code else (repair, changes, "the code")

    def _show_selection(self, card: RepairCard, selection: Selection) -> None:
        """Show it; what it does has to be seen before it is answered."""
        card.select(selection)
        evidence, snapshot = self.query_one(Evidence), card.snapshot
        tried = selection.tried
        if snapshot is not None and selection.left and tried is not None:
            evidence.show_report(snapshot, tried.report, tried.fixes, tried.breaks)
        elif snapshot is not None:
            evidence.show_tests(snapshot, card.label)
        self.call_after_refresh(lambda: self._arming.arm(Message().time) if self._arming.armed else None)
