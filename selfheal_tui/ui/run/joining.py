"""Taking several candidates together: what they change and what the suite says to them, before it is decided."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.message import Message

from selfheal_tui.engine.workshop.trial import SuiteTried
from selfheal_tui.errors import SelfHealError

from ..kit.arming import Arming
from ..view.joined import Joined, join
from .cards.repair import RepairCard
from .choices import Choices
from .port import RunPort

_Key = tuple[str, tuple[str, ...]]
"""Checkpoint of the question, labels."""


class Joining:
    """Marks candidates, and shows those that are marked as the one repair that they would be."""

    PAUSE_S: ClassVar[float] = 0.25
    """Seconds after the newest mark before they are tried."""

    def __init__(self, port: RunPort, arming: Arming, choices: Choices) -> None:
        self._port, self._arming, self._choices = port, arming, choices
        self._tried: dict[_Key, SuiteTried | str] = {}
        """What came of them; why they could not be tried."""
        self._trying: _Key | None = None

    def mark(self, card: RepairCard) -> None:
        """Mark the candidate that is shown, or take its mark back; the card says what they do."""
        if card.review is None:
            return
        self._choices.mark(card.review.checkpoint_id, card.label, card.label not in card.marked)
        self._port.show(self._port.model)
        self._port.call_after_refresh(card.reach_verdict)
        self._port.call_after_refresh(self._arm_again)

    def follow_card(self) -> None:
        """Show what the marked candidates change, and try them; without two marks show the candidate alone."""
        card, evidence = self._port.side.card, self._port.evidence
        if isinstance(card, RepairCard) and card.review is not None and self._choices.ready(card.review.checkpoint_id):
            card.mark(self._choices.marked(card.review.checkpoint_id))
            self._port.side.retitle()
        joined = self._joined(card) if isinstance(card, RepairCard) else None
        if not isinstance(card, RepairCard) or card.review is None or card.snapshot is None or joined is None:
            self._trying = None
            self._port.stop_work("join")
            evidence.show_instead(None)
            return
        key = card.review.checkpoint_id, joined.labels
        came = self._tried.get(key)
        if isinstance(came, SuiteTried):
            joined = replace(joined, tried=came)
        elif came is not None:
            joined = replace(joined, error=came)
        evidence.show_instead(joined.change(card.snapshot))
        card.join(joined)
        if joined.tried is not None:
            evidence.show_report(card.snapshot, joined.tried.report, joined.tried.fixes, joined.tried.breaks)
        if joined.repair is None or came is not None:
            self._trying = None
            self._port.stop_work("join")
        elif self._trying != key:
            self._trying = key
            self._port.start_work("join", partial(self._try, key, joined.repair["changes"]))

    def _joined(self, card: RepairCard) -> Joined | None:
        return join(card.snapshot, card.marked) if card.snapshot is not None else None

    async def _try(self, key: _Key, changes: dict[str, str]) -> None:
        await asyncio.sleep(self.PAUSE_S)
        session = self._port.driver.saved
        if session is None:
            return
        try:
            async with aclosing(session.try_suite(key[0], changes)) as events:
                async for event in events:
                    if isinstance(event, SuiteTried):
                        self._tried[key] = event
        except SelfHealError as error:
            self._tried[key] = str(error)
        self._trying = None
        self.follow_card()
        self._port.call_after_refresh(self._arm_again)

    def _arm_again(self) -> None:
        """What the marked ones do has to be seen before it is answered."""
        if self._arming.armed:
            self._arming.arm(Message().time)
