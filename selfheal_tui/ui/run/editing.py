"""The editor on the run screen: what is opened in it, the suite run over its text, and what becomes of the text.

What answers a question goes with the answer. Test files, and code at a moment that proposes none, go with a fork.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, Literal

from selfheal_tui.engine.moment.review import OF_CODE, OF_TESTS, ReviewKind, edit
from selfheal_tui.engine.workshop.trial import SuiteTried
from selfheal_tui.errors import SelfHealError
from selfheal_tui.sandbox.base import CaseFinished
from selfheal_tui.text import one_line

from ..view.shown import Line, place_to_write, proposal_to_edit
from .cards.diagnosis import DiagnosisCard
from .cards.diagnosis_form import DiagnosisForm
from .cards.repair import RepairCard
from .cards.review_card import ReviewCard
from .drafts import DraftKey, Drafts
from .port import RunPort
from .tabs.edit_pane import EditPane
from .tabs.try_cases import TryCases


class Editing:
    """Opens the editor on a proposal, on a test file or on the code; the last two go on a branch of their own."""

    def __init__(self, port: RunPort, fork: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        """`fork` goes on from the moment shown with other `tests` or `code`."""
        self._port, self._fork = port, fork
        self.drafts = Drafts(port)
        self._key: DraftKey | None = None
        """What the editor or the form was opened on last."""
        self._of = ""
        """Which part of a repair that is, in words; empty for all of it."""
        self._forks: Literal["", "tests", "code"] = ""
        """What the text in the editor is, where it goes with a fork."""
        self._loading: set[str] = set()
        """Questions whose texts are being read."""

    async def open_form(self, card: DiagnosisCard) -> None:
        """Correct the diagnosis in its form."""
        if card.review is None:
            return
        self._port.side.add_class("-editing")
        self._key = _draft_key(card.review.checkpoint_id, card.label, None)
        await self.drafts.load(self._key.checkpoint_id)
        await card.open_form(self.drafts.get(self._key))

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
        of = card.part_words if isinstance(card, RepairCard) and changed is None else ""
        kind, files, changes = proposal_to_edit(snapshot, pick)
        await self._open(key, kind, files, changes if part is None else part, of)

    async def open_tests(self, position: str, path: str, text: str) -> None:
        """Edit a generated test file."""
        self._forks = "tests"
        await self._open(DraftKey(position, path, OF_TESTS), "tests", {path: text}, {})

    async def open_code(self) -> None:
        """Write the program of the moment shown by hand."""
        snapshot, position = self._port.model.shown, self._port.model.position
        if snapshot is not None and position is not None:
            self._forks = "code"
            key = DraftKey(position, "", OF_CODE)
            await self._open(key, "code", snapshot.program, {}, at=place_to_write(snapshot))

    async def _open(
        self,
        key: DraftKey,
        kind: ReviewKind,
        now: Mapping[str, str],
        changes: Mapping[str, str],
        of: str = "",
        at: Line | None = None,
    ) -> None:
        self._port.side.add_class("-writing")
        pane = await self._port.evidence.tabs.open("edit", EditPane)
        await self.drafts.load(key.checkpoint_id)
        self._key, self._of = key, of
        pane.open(key, kind, now, changes, self.drafts.get(key), at, answers=not self._forks)

    def close(self, tab: str) -> None:
        """Put the editor away and go to `tab`; the text is kept."""
        self._forks = ""
        self._port.evidence.tabs.put_away("edit", tab)
        self._port.side.remove_class("-writing")

    def show_drafts(self) -> None:
        """Say on the card which text of this question is kept in the editor."""
        card = self._port.side.card
        if card is None or card.review is None:
            return
        key = _draft_key(card.review.checkpoint_id, _label(card), _taken_part(card))
        drafts = self.drafts.of(key.checkpoint_id)
        if drafts is None:
            self._start_loading(key.checkpoint_id)
            return
        labels = card.labels if isinstance(card, RepairCard | DiagnosisCard) else ()
        of = "place" if isinstance(card, DiagnosisCard) else "repair"
        card.attach(
            draft_words({draft: self.drafts.part_words(draft) for draft in drafts}, key, labels, of),
            of="draft",
            count=len(drafts),
        )

    def _start_loading(self, checkpoint_id: str) -> None:
        is_free = self._port.driver.session is not None and not self._port.model.running
        if is_free and checkpoint_id not in self._loading:
            self._loading.add(checkpoint_id)
            self._port.start_work("drafts", partial(self._load, checkpoint_id), exclusive=False)

    async def _load(self, checkpoint_id: str) -> None:
        await self.drafts.load(checkpoint_id)
        self._loading.discard(checkpoint_id)
        if self.drafts.of(checkpoint_id) is not None:
            self.show_drafts()

    # what the editor and the form post

    def keep(self) -> None:
        """Keep what is being written as it is now."""
        form = self._form
        pane = next(iter(self._port.evidence.query(EditPane)), None)
        if self._key is None:
            return
        if form is not None and self._port.side.has_class("-editing"):
            self.drafts.keep(self._key, form.kept)
        elif pane is not None and self._port.evidence.tabs.is_open("edit"):
            self.drafts.keep(self._key, pane.kept, self._of)

    async def keep_all(self) -> None:
        """Write what is being written, before the session is closed."""
        self.keep()
        if self._key is not None:
            await self.drafts.save(self._key.checkpoint_id)

    @property
    def _form(self) -> DiagnosisForm | None:
        return next(iter(self._port.side.query(DiagnosisForm)), None)

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
        self.keep()
        self._stop_pane()
        self.close(self._forks or "diff")
        self.show_drafts()

    async def submit(self, changes: dict[str, str]) -> None:
        """Decide with the edited files; edited tests make a branch of their own."""
        self.keep()
        self._stop_pane()
        card = self._port.side.card
        if forks := self._forks:
            self.close(forks)
            await self._fork({forks: changes})
            if self._key is not None:
                self.drafts.keep(self._key, None)
        elif card is not None:
            self.close("diff")
            pick = card.answered_label if isinstance(card, RepairCard) else ""
            card.decide(edit({"changes": changes}, pick=pick))

    def _stop_pane(self) -> None:
        self._port.evidence.query_one(EditPane).close()
        self.stop_trying()


def draft_words(
    drafts: Mapping[DraftKey, str], shown: DraftKey, labels: Sequence[str], of: str = "repair"
) -> list[str]:
    """Say how each text that is kept is opened again: `your text is kept: e opens it`.

    `drafts` names the part that each is of: `hunk 1`, `repairs 1 + 3`; empty for a whole.
    """
    words = []
    for draft, part in drafts.items():
        if draft == shown:
            words.append("your text is kept: e opens it")
        elif draft.part == OF_CODE:
            words.append("your code is kept: f, then code opens it")
        elif draft.part == OF_TESTS:
            words.append(f"your text of {one_line(draft.label, 60)} is kept: E on a case of it opens it")
        elif part.startswith("hunk") and draft.label in labels:
            number = labels.index(draft.label) + 1
            first = f"{number}, " if draft.label != shown.label else ""
            whose = f" of {of} {number}" if len(labels) > 1 else ""
            words.append(f"your text of {part}{whose} is kept: {first}choose just that, then e")
        elif part:
            words.append(f"your text of {part} together is kept: mark them (space), then e")
        elif draft.label == shown.label and not draft.part:
            words.append("your text of the whole repair is kept: take back what you chose (space), then e")
        elif draft.label == shown.label:
            words.append("your text of other hunks is kept: choose them, then e")
        elif draft.label in labels:
            number = labels.index(draft.label) + 1
            words.append(f"your text of {of} {number} is kept: {number}, then e")
    return words


def _taken_part(card: ReviewCard) -> Mapping[str, str] | None:
    """Return what the card takes, where that is not the repair that is shown as it is."""
    return card.taken_changes if isinstance(card, RepairCard) else None


def _draft_key(checkpoint_id: str, label: str, part: Mapping[str, str] | None) -> DraftKey:
    text = "" if part is None else str(sorted(part.items()))
    return DraftKey(checkpoint_id, label, hashlib.sha256(text.encode(errors="replace")).hexdigest() if text else "")


def _label(card: ReviewCard) -> str:
    """Return the candidate, or the place of a diagnosis, that the card shows."""
    return card.label if isinstance(card, RepairCard | DiagnosisCard) else ""
