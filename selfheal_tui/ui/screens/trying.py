"""Trying on the run screen, without moving the run: what some hunks, an edited text or a piece of Python would do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.message import Message

from selfheal_tui.engine.trial import SuiteTried
from selfheal_tui.errors import SelfHealError
from selfheal_tui.sandbox.base import CaseFinished

from ..arming import Arming
from ..selection import Selection, whole
from ..widgets.diff_view import DiffView
from ..widgets.edit_pane import EditPane
from ..widgets.evidence import Evidence
from ..widgets.repair_card import RepairCard
from ..widgets.try_cases import TryCases
from .answering import Answering


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

    def offer_hunks(self) -> None:
        """Let the hunks of the shown candidate be chosen where there are several; another one starts with all."""
        card, diff = self._card, self.query_one(DiffView)
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
