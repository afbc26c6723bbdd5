"""A note for the next step, written while the run works or asks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..view.model import RunModel
from ..view.notes import note_words, unread_words, waits_words
from .asking import Asking
from .port import RunPort

if TYPE_CHECKING:
    from selfheal_tui.engine.session.session import Session

_TOLD = 2
"""Questions at which it is said that the search cannot read notes."""


class Noting:
    """Asks for the note and queues it."""

    def __init__(self, port: RunPort, asking: Asking) -> None:
        self._port, self._asking = port, asking
        self._told_of: tuple[str, ...] = ()
        self._told_at: tuple[str, ...] = ()
        """Questions at which it was said that the search cannot read the notes `_told_of`."""

    @property
    def can_write(self) -> bool:
        """Whether there is a step to come that a note could be for."""
        model = self._port.model
        idle = model.race is None and not model.lanes and not model.outcome
        return idle and model.past is None and model.shown is not None and self._port.driver.session is not None

    def open(self) -> None:
        """Ask for the note."""
        self._asking.ask_here(
            "A note for the next step that asks a model:",
            "enter queues it · esc cancels",
            self._add,
            needed="Say what the next step should know.",
            draft_key="note",
        )

    def show_on_card(self) -> None:
        """Say what waits on the card; that the search leaves it only where it was written and at the next question."""
        card, model = self._port.side.card, self._port.model
        if card is None or model.question is None:
            return
        if model.notes != self._told_of:
            self._told_of, self._told_at = model.notes, ()
        at, remark = model.question.checkpoint_id, unread_words(model)
        if remark and at not in self._told_at:
            self._told_at += (at,)
        told_before = remark and at not in self._told_at[:_TOLD]
        words = waits_words(model) if told_before else note_words(model)
        card.attach(words, of="note", count=len(model.notes), remark="" if told_before else remark)

    async def _add(self, text: str) -> None:
        session = self._port.driver.session
        if session is not None:
            await session.notes.add(text)
            self._port.side.grace("")  # An undo takes this note back now, and not the answer before it.
            self._port.show(await with_notes(self._port.model, session, self._port.model.running))


async def with_notes(model: RunModel, session: Session, running: bool) -> RunModel:
    """Return the model with the notes that wait now."""
    notes, newest = await unread_notes(session, running), await session.notes.can_take_back()
    return replace(model, notes=notes, takes_note_back=newest)


async def unread_notes(session: Session, running: bool) -> tuple[str, ...]:
    """Return the notes that wait for a step; one that the present step reads waits no more."""
    return tuple(note.text for note in await session.notes.waiting() if not (running and note.read_at))
