"""The editor on the run screen: what is opened in it, the suite run over its text, and what becomes of the text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial

from selfheal_tui.engine.moment.review import edit
from selfheal_tui.engine.workshop.trial import SuiteTried
from selfheal_tui.errors import SelfHealError
from selfheal_tui.sandbox.base import CaseFinished

from ..view.shown import proposal_to_edit
from .cards.repair import RepairCard
from .cards.review_card import ReviewCard
from .port import RunPort
from .tabs.edit_pane import DraftKey, EditPane
from .tabs.try_cases import TryCases


class Editing:
    """Opens the editor on a proposal or on a test file; a test file goes on a branch of its own."""

    def __init__(self, port: RunPort, save_tests: Callable[[dict[str, str]], Awaitable[None]]) -> None:
        """`save_tests` goes on with edited test files."""
        self._port, self._save_tests = port, save_tests
        self._holds_tests = False

    async def open_proposal(self, card: ReviewCard, changed: Mapping[str, str] | None = None) -> None:
        """Edit what the card asks about; of a repair that is taken in part, that part.

        `changed` is what the user made of it elsewhere.
        """
        snapshot = self._port.model.shown
        if card.review is None or snapshot is None:
            return
        pick = self._port.side.pick
        part = _taken_part(card) if changed is None else changed
        key = _draft_key(card.review.checkpoint_id, pick, part)
        self._port.side.add_class("-writing")
        kind, files, changes = proposal_to_edit(snapshot, pick)
        pane = await self._port.evidence.tabs.open("edit", EditPane)
        pane.open(key, kind, files, changes if part is None else part)

    async def open_tests(self, position: str, path: str, text: str) -> None:
        """Edit a generated test file."""
        self._holds_tests = True
        self._port.side.add_class("-writing")
        pane = await self._port.evidence.tabs.open("edit", EditPane)
        pane.open(DraftKey(position, path), "tests", {path: text}, {})

    def close(self, tab: str) -> None:
        """Put the editor away and go to `tab`; the text is kept."""
        self._holds_tests = False
        self._port.evidence.tabs.put_away("edit", tab)
        self._port.side.remove_class("-writing")

    def show_drafts(self) -> None:
        """Say on the card which text of this question is kept in the editor."""
        card = self._port.side.card
        pane = next(iter(self._port.evidence.query(EditPane)), None)
        if card is None or card.review is None or pane is None:
            return
        key = _draft_key(card.review.checkpoint_id, self._port.side.pick, _taken_part(card))
        drafts = [draft for draft in pane.drafts if draft.checkpoint_id == key.checkpoint_id]
        labels = card.labels if isinstance(card, RepairCard) else ()
        card.attach(draft_words(drafts, key, labels), of="draft", count=len(drafts))

    # what the editor posts

    def stop_trying(self) -> None:
        """Stop the run of the suite: it is over a text that is gone."""
        self._port.stop_work("try")

    def try_texts(self, changes: Mapping[str, str]) -> None:
        """Run the suite over the text as it is."""
        position = self._port.model.position
        if position is not None and self._port.evidence.tabs.is_open("edit"):
            self._port.start_work("try", partial(self._try_texts, position, changes))

    async def _try_texts(self, position: str, changes: Mapping[str, str]) -> None:
        session, cases = self._port.driver.saved, self._port.evidence.query_one(TryCases)
        if session is None:
            return
        cases.begin()
        try:
            async with aclosing(session.try_suite(position, changes)) as events:
                async for event in events:
                    match event:
                        case SuiteTried():
                            cases.finish(event)
                        case CaseFinished(case, of):
                            cases.tell(case, of)
        except SelfHealError as error:
            cases.refuse(str(error))

    def leave(self) -> None:
        """Put the editor away unsent."""
        self._stop_pane()
        self.close("tests" if self._holds_tests else "diff")
        self.show_drafts()

    async def submit(self, changes: dict[str, str]) -> None:
        """Decide with the edited files; edited tests make a branch of their own."""
        self._stop_pane()
        card = self._port.side.card
        if self._holds_tests:
            self.close("tests")
            await self._save_tests(changes)
        elif card is not None:
            self.close("diff")
            pick = card.answered_label if isinstance(card, RepairCard) else ""
            card.decide(edit({"changes": changes}, pick=pick))

    def _stop_pane(self) -> None:
        self._port.evidence.query_one(EditPane).close()
        self.stop_trying()


def draft_words(drafts: Sequence[DraftKey], shown: DraftKey, labels: Sequence[str]) -> list[str]:
    """Say how each text that is kept is opened again: `your text is kept: e opens it`."""
    words = []
    for draft in drafts:
        if draft == shown:
            words.append("your text is kept: e opens it")
        elif draft.label == shown.label:
            words.append("your text of other hunks is kept: choose them, then e")
        elif draft.label in labels:
            number = labels.index(draft.label) + 1
            words.append(f"your text of repair {number} is kept: {number}, then e")
    return words


def _taken_part(card: ReviewCard) -> Mapping[str, str] | None:
    """Return what the card takes, where that is not the repair that is shown as it is."""
    return card.taken_changes if isinstance(card, RepairCard) else None


def _draft_key(checkpoint_id: str, label: str, part: Mapping[str, str] | None) -> DraftKey:
    return DraftKey(checkpoint_id, label, "" if part is None else str(sorted(part.items())))
