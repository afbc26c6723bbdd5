"""The editor on the run screen: what is opened in it, the suite run over its text, and what becomes of the text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
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
from .tabs.edit_pane import EditPane
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
        part = changed
        if part is None and isinstance(card, RepairCard) and card.in_part and card.selection and card.repair:
            part = card.selection.changes(snapshot, card.repair)
        key = f"{card.review.checkpoint_id} {pick}{'' if part is None else sorted(part.items())}"
        self._port.side.add_class("-writing")
        kind, files, changes = proposal_to_edit(snapshot, pick)
        pane = await self._port.evidence.tabs.open("edit", EditPane)
        pane.open(key, kind, files, changes if part is None else part)

    async def open_tests(self, position: str, path: str, text: str) -> None:
        """Edit a generated test file."""
        self._holds_tests = True
        self._port.side.add_class("-writing")
        pane = await self._port.evidence.tabs.open("edit", EditPane)
        pane.open(f"{position} {path}", "tests", {path: text}, {})

    def close(self, tab: str) -> None:
        """Put the editor away and go to `tab`; the text is kept."""
        self._holds_tests = False
        self._port.evidence.tabs.put_away("edit", tab)
        self._port.side.remove_class("-writing")

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
                        case CaseFinished(case):
                            cases.tell(case)
        except SelfHealError as error:
            cases.refuse(str(error))

    def leave(self) -> None:
        """Put the editor away unsent."""
        self._stop_pane()
        self.close("tests" if self._holds_tests else "diff")

    async def submit(self, changes: dict[str, str]) -> None:
        """Decide with the edited files; edited tests make a branch of their own."""
        self._stop_pane()
        card = self._port.side.card
        if self._holds_tests:
            self.close("tests")
            await self._save_tests(changes)
        elif card is not None:
            self.close("diff")
            pick = card.label if isinstance(card, RepairCard) else ""
            card.decide(edit({"changes": changes}, pick=pick))

    def _stop_pane(self) -> None:
        self._port.evidence.query_one(EditPane).close()
        self.stop_trying()
