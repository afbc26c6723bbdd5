"""A note for the next step, written while the run works or asks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..view.model import RunModel
from .asking import Asking
from .port import RunPort

if TYPE_CHECKING:
    from selfheal_tui.engine.session.session import Session


class Noting:
    """Asks for the note and queues it."""

    def __init__(self, port: RunPort, asking: Asking) -> None:
        self._port, self._asking = port, asking

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
