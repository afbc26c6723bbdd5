"""Notes for the next step, as the user handles them: written, listed; taking one back is undoing its act."""

from __future__ import annotations

import secrets

from selfheal_tui.errors import InputError
from selfheal_tui.store.acts import Acts
from selfheal_tui.store.notes import Note, Notes, new_note
from selfheal_tui.store.session_db import SessionDB

from ..moment.review import NOTE_LIMIT

KIND = "next_note"
"""The kind of such an act; `note` is one on a branch."""


class NoteBook:
    """The notes of an open session."""

    def __init__(self, db: SessionDB) -> None:
        self._notes, self._acts = Notes(db), Acts(db)

    async def add(self, text: str) -> None:
        """Write a note for the next step that asks a model. Raises: InputError for an empty or a too long one."""
        text = text.strip()
        if not text:
            raise InputError("The note is empty.", "Say what the next step should know.")
        if len(text) > NOTE_LIMIT:
            raise InputError(f"The note is too long: {len(text):,} characters, at most {NOTE_LIMIT:,}.")
        note_id = secrets.token_hex(8)
        await self._acts.record(
            KIND, {"words": "your note for the next step", "needs": [], "note_id": note_id}, [new_note(note_id, text)]
        )

    async def waiting(self) -> list[Note]:
        """Return the notes that no saved moment rests on, oldest first."""
        return await self._notes.waiting()

    async def can_take_back(self) -> bool:
        """Tell whether the newest act is a note that no step reads yet: taking it back stops no run."""
        done = (await self._acts.standing()).done
        unread = {note.id for note in await self.waiting() if not note.read_at}
        return bool(done) and done[-1].details.get("note_id") in unread
