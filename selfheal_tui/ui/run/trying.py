"""Trying Python and cases beside the code that is shown, without moving the run; results can go with a decision."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from selfheal_tui.engine.moment.review import NOTE_LIMIT, TRIED, Answer
from selfheal_tui.engine.workshop.trial import Tried, tried_words
from selfheal_tui.errors import SelfHealError

from .cards.repair import RepairCard
from .cards.review_card import ReviewCard
from .port import RunPort
from .tabs.try_input import TryInput
from .tabs.try_pane import TryPane
from .unsent import LeftUnsent


@dataclass(frozen=True, slots=True)
class _Target:
    """What is tried on."""

    words: str = "the code"
    changes: Mapping[str, str] = field(default_factory=dict)
    """Path -> text, over the files of the moment."""


_CODE_NOW = _Target()


class Trying:
    """Runs what is typed into the panel, and keeps what the user attaches to each question."""

    def __init__(self, port: RunPort) -> None:
        self._port = port
        self._disk = LeftUnsent[Tried](port, lambda session: session.tries)
        self._results: list[Tried] = []
        self._attached: dict[str, list[Tried]] = {}
        """Checkpoint of a question -> what goes with its answer, once it was loaded; each change is written at once."""
        self._turn = asyncio.Lock()
        self._on_code = False
        """Try on the code now, although there is a repair."""
        self._tab_before = "code"

    async def open(self) -> None:
        """Open the panel."""
        self._port.side.add_class("-trying")
        self._port.side.retitle()
        tabs = self._port.evidence.tabs
        self._tab_before = tabs.active if tabs.active != "try" else self._tab_before
        pane = await tabs.open("try", TryPane)
        pane.screen.set_focus(pane.query_one(TryInput))
        tabs.call_after_refresh(tabs.get_tab("try").scroll_visible, animate=False)
        self._show()

    def close(self) -> None:
        """Put the panel away; what runs there is stopped."""
        self._port.stop_work("try")
        self._port.side.remove_class("-trying")
        self._port.side.retitle()
        self._port.evidence.tabs.put_away("try", self._tab_before)

    def switch(self) -> None:
        """Try on the code now instead of the repair, or the other way round."""
        self._on_code = not self._on_code
        self._show()

    def attach(self) -> None:
        """Let the newest result go with the decision, or not."""
        question = self._port.model.question
        if question is None or not self._results:
            return
        attached, newest = self._attached.setdefault(question.checkpoint_id, []), self._results[-1]
        if newest in attached:
            attached.remove(newest)
        else:
            attached.append(newest)
        self._disk.save_beside(question.checkpoint_id, attached)
        self._show()

    async def _load(self, checkpoint_id: str) -> None:
        """Read what an earlier visit left to go with the answer; it stands among the results again."""
        self._attached[checkpoint_id] = left = await self._disk.load(checkpoint_id)
        self._results = [*(one for one in left if one not in self._results), *self._results]
        self.show_attached()

    async def save(self, checkpoint_id: str) -> None:
        """Write what goes with the answer of a question as it is now, before that is sent."""
        if (attached := self._attached.get(checkpoint_id)) is not None:
            await self._disk.save(checkpoint_id, attached)

    def forget(self) -> None:
        """Read them anew when a question is asked again: an undo may have given some back."""
        self._attached.clear()

    def try_text(self, text: str) -> None:
        """Try the text on what is shown, after those before it."""
        self._port.start_work("try", partial(self._try_in_turn, text), exclusive=False)

    async def _try_in_turn(self, text: str) -> None:
        async with self._turn:
            session, position = self._port.driver.saved, self._port.model.position
            if session is None or position is None:
                return
            target, _ = self._targets()
            self._show(text)
            try:
                self._results.append(await session.try_text(position, text, target.changes, target.words))
            except SelfHealError as error:
                self._port.notify(str(error), severity="error", markup=False)
            finally:
                if self._port.evidence.is_attached:
                    self._show()

    def with_attached(self, checkpoint_id: str, answer: Answer) -> Answer:
        """Put what was tried and attached into the note, which reaches the next attempt and the reports."""
        lines = [f"{TRIED}{tried_words(tried)}" for tried in self._attached.get(checkpoint_id, ())]
        if not lines:
            return answer
        note = "\n".join([answer.get("note", ""), *lines]).strip()
        return {**answer, "note": note[:NOTE_LIMIT]}

    def show_attached(self) -> None:
        """Say on the card what goes with its answer."""
        card, session = self._port.side.card, self._port.driver.session
        if card is None or card.review is None:
            return
        asked = card.review.checkpoint_id
        if asked not in self._attached and session is not None:
            self._attached[asked] = []
            self._port.start_work("drafts", partial(self._load, asked), exclusive=False)
        card.attach([tried_words(tried) for tried in self._attached.get(asked, ())])

    def _show(self, running: str = "") -> None:
        target, other = self._targets()
        question = self._port.model.question
        attached = self._attached.get(question.checkpoint_id, []) if question else []
        pane = self._port.evidence.query_one(TryPane)
        pane.show(target.words, other, self._results, attached, running, decides=question is not None)
        self.show_attached()

    def _targets(self) -> tuple[_Target, str]:
        """Return what is tried on, and in words what else there is."""
        repair = _repair_shown(self._port.side.card)
        if repair is None:
            return _CODE_NOW, ""
        return (_CODE_NOW, repair.words) if self._on_code else (repair, _CODE_NOW.words)


def _repair_shown(card: ReviewCard | None) -> _Target | None:
    """Return the repair on the card, of one that is taken in part that part; None when none is asked about."""
    if not isinstance(card, RepairCard) or card.repair is None or card.snapshot is None:
        return None
    if card.joined is not None and card.joined.repair is not None:
        return _Target(f"{card.joined.words} together", card.joined.repair["changes"])
    place = card.labels.index(card.label) + 1
    if card.selection is None or not card.selection.left_out:
        return _Target(f"repair {place}", card.repair["changes"])
    numbers = ", ".join(map(str, card.selection.taken))
    only = f"hunk{'s' * (len(card.selection.taken) > 1)} {numbers} only" if numbers else "no hunk"
    return _Target(f"repair {place} ({only})", card.selection.changes(card.snapshot, card.repair))
