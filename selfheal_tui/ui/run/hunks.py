"""Taking a repair in part: which hunks are taken, and what the suite says to just those before it is decided."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import ClassVar, NamedTuple

from textual.message import Message

from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import Repair
from selfheal_tui.engine.workshop.trial import SuiteTried
from selfheal_tui.errors import SelfHealError

from ..kit.arming import Arming
from ..kit.diff_view import DiffView
from ..view.past_answers import PastAnswer, taken_part
from ..view.selection import Selection, whole
from .cards.repair import RepairCard
from .choices import Choices
from .joining import Joining
from .port import RunPort

_Texts = tuple[tuple[tuple[str, str], ...], ...]
"""Path and text of each file before and after a repair."""


class _Candidate(NamedTuple):
    checkpoint_id: str
    label: str
    texts: _Texts


def _texts(snapshot: Snapshot, repair: Repair) -> _Texts:
    files = snapshot.program, snapshot.tests, repair["changes"]
    return tuple(tuple(sorted(texts.items())) for texts in files)


class Hunks:
    """Lets the user choose among the hunks of the candidate that is shown."""

    PAUSE_S: ClassVar[float] = 0.25
    """Seconds after the newest choice before it is tried."""

    def __init__(self, port: RunPort, arming: Arming, joining: Joining, choices: Choices) -> None:
        self._port, self._arming, self._joining, self._choices = port, arming, joining, choices
        self._candidate: _Candidate | None = None
        """The candidate whose hunks are chosen among."""
        self._tried: dict[tuple[_Texts, frozenset[int]], SuiteTried] = {}
        """Texts, hunks left out -> what the others do."""

    @property
    def _diff(self) -> DiffView:
        return self._port.evidence.query_one(DiffView)

    def follow_card(self) -> None:
        """Let the hunks of the shown candidate be chosen where there are several."""
        card, diff = self._port.side.card, self._diff
        if not isinstance(card, RepairCard) or card.repair is None or card.review is None or card.snapshot is None:
            self._leave()
            return
        if card.joined is not None:  # What is shown is several candidates: there are marks to take back, no hunks.
            self._leave()
            return
        candidate = _Candidate(card.review.checkpoint_id, card.label, _texts(card.snapshot, card.repair))
        if not self._choices.ready(candidate.checkpoint_id):
            self._leave()
            return
        if card.review.again:
            self._begin_with(candidate.checkpoint_id, card.snapshot, self._port.model.answers)
        self._tell_in_parts(card, candidate.checkpoint_id)
        selection, left_out = None, self._choices.left_out(candidate.checkpoint_id, candidate.label)
        if left_out is not None:
            every = whole(card.snapshot, card.repair)
            left_out &= {*every.taken}  # what a file from elsewhere says may be of other hunks
            selection = replace(every, left_out=left_out)
        # The card forgets a choice where it shows something else in between: what it takes is what the diff shows.
        same = (None if card.selection is None else card.selection.left_out) == left_out
        if self._candidate == candidate and same:
            return
        self._candidate = candidate
        self._port.stop_work("try")
        diff.choose(None if diff.hunks < 2 else left_out or frozenset())
        if selection is not None:
            self._select(card, selection)

    def take_again(self, snapshot: Snapshot, answers: Sequence[PastAnswer]) -> None:
        """Begin with the hunks of an answer that was taken back, where it took some."""
        if part := taken_part(snapshot, answers):
            label, selection = part
            self._choices.leave_out(snapshot.checkpoint_id, label, selection.left_out)

    def _begin_with(self, checkpoint_id: str, snapshot: Snapshot, answers: Sequence[PastAnswer]) -> None:
        """Begin with the hunks that the newest answer took, unless others were chosen here since."""
        if part := taken_part(snapshot, answers):
            label, selection = part
            self._choices.begin_with(checkpoint_id, label, selection.left_out)

    def _leave(self) -> None:
        self._candidate = None
        self._diff.choose(None)

    @property
    def can_choose(self) -> bool:
        """Whether there are hunks to take and leave in front of the user."""
        return self._candidate is not None and self._diff.hunks > 1 and self._port.evidence.tabs.active == "diff"

    @property
    def can_mark(self) -> bool:
        """Whether the candidate that is shown can be marked, to be taken with others."""
        card = self._port.side.card
        return isinstance(card, RepairCard) and card.can_mark and not self.can_choose

    def step(self, step: int) -> None:
        """Go to another hunk, or by a line, as in the diff itself."""
        self._diff.action_hunk(step)

    def turn_current(self) -> None:
        """Take or leave the hunk under the cursor; where there are no hunks to choose among mark the candidate."""
        card = self._port.side.card
        if self.can_choose:
            self._turn(self._diff.hunk)
        elif isinstance(card, RepairCard) and card.can_mark:
            self._joining.mark(card)

    def turn_clicked(self, number: int) -> None:
        """Take or leave the hunk that was clicked."""
        if self._arming.armed and self.can_choose:
            self._turn(number)

    def _turn(self, number: int) -> None:
        card = self._port.side.card
        if not isinstance(card, RepairCard) or card.repair is None or card.snapshot is None:
            return
        before = card.selection or whole(card.snapshot, card.repair)
        assert self._candidate is not None
        left_out = before.left_out ^ {number}
        self._choices.leave_out(self._candidate.checkpoint_id, self._candidate.label, left_out)
        self._select(card, replace(before, left_out=left_out))

    def _select(self, card: RepairCard, selection: Selection) -> None:
        assert self._candidate is not None
        selection = replace(selection, tried=self._tried.get((self._candidate.texts, selection.left_out)), error="")
        self._tell_in_parts(card, self._candidate.checkpoint_id)
        self._diff.choose(selection.left_out)
        self._show(card, selection)
        self._port.stop_work("try")
        if selection.tried is None and selection.left_out and selection.taken:
            self._port.start_work("try", partial(self._try, card, selection))

    def _tell_in_parts(self, card: RepairCard, checkpoint_id: str) -> None:
        """Tell the list of which candidates a hunk is left out."""
        in_parts = frozenset(label for label in card.labels if self._choices.left_out(checkpoint_id, label))
        if in_parts != card.in_parts:
            card.in_parts = in_parts
            card.redraw()

    async def _try(self, card: RepairCard, selection: Selection) -> None:
        await asyncio.sleep(self.PAUSE_S)
        session, snapshot, repair = self._port.driver.saved, card.snapshot, card.repair
        candidate = self._candidate
        if session is None or snapshot is None or repair is None or candidate is None:
            return
        try:
            changes = selection.changes(snapshot, repair)
            async with aclosing(session.try_suite(candidate.checkpoint_id, changes)) as events:
                async for event in events:
                    if isinstance(event, SuiteTried):
                        selection = replace(selection, tried=event)
                        self._tried[candidate.texts, selection.left_out] = event
        except SelfHealError as error:
            selection = replace(selection, error=str(error))
        self._show(card, selection)

    def _show(self, card: RepairCard, selection: Selection) -> None:
        """Show what the hunks do; it has to be seen before it is answered."""
        card.select(selection)
        evidence, snapshot = self._port.evidence, card.snapshot
        tried = selection.tried
        if snapshot is not None and selection.left_out and tried is not None:
            evidence.show_report(snapshot, tried.report, tried.fixes, tried.breaks)
        elif snapshot is not None:
            evidence.show_tests(snapshot, card.label)
        self._port.call_after_refresh(self._arm_again)

    def _arm_again(self) -> None:
        if self._arming.armed:
            self._arming.arm(Message().time)
