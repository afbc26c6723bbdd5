"""What the user wrote at a question and did not send yet: kept with the session through leaving and crashes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Generic, TypeVar

from selfheal_tui.store.blobs import json_text
from selfheal_tui.store.damage import reading
from selfheal_tui.store.session_db import SessionDB, header_values

T = TypeVar("T")


class Unsent(Generic[T]):
    """The unsent comments of a session, or its unsent texts."""

    def __init__(self, db: SessionDB, prefix: str, what: str) -> None:
        """`what` names them where they cannot be read."""
        self._db, self._prefix, self._what = db, prefix, what

    async def load(self, checkpoint_id: str) -> list[T]:
        """Return those of a question. Raises: SessionError."""
        text = await self._db.get_meta(self._prefix + checkpoint_id)
        with reading(self._what):
            return list(json.loads(text)) if text else []

    async def save(self, checkpoint_id: str, unsent: Sequence[T]) -> None:
        """Keep these as the ones of a question."""
        await self._db.write_all(header_values({self._prefix + checkpoint_id: _written(unsent)}))


def as_sent(key: str, unsent: Sequence[object], rest: Sequence[object] = ()) -> dict[str, list[str | None]]:
    """Return the header value of an act that sends these, or lets go of them: undone, it gives them back.

    `rest` is what stays unsent.
    """
    return {key: [_written(unsent), _written(rest)]} if unsent else {}


def _written(unsent: Sequence[object]) -> str | None:
    return json_text(list(unsent)) if unsent else None
