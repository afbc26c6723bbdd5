"""What altered bytes raise while they are read, and the one sentence that it becomes."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from selfheal_tui.errors import SessionDamaged

UNDECODABLE = (
    *(ValueError, TypeError, LookupError, AttributeError, NotImplementedError, RecursionError, EOFError),
    zlib.error,
)
"""What JSON, MessagePack and our own shapes raise over altered bytes. Catch it around their reading alone."""


@contextmanager
def reading(words: str) -> Iterator[None]:
    """Read what lies in a session's file. Raises: SessionDamaged that says what cannot be read."""
    try:
        yield
    except UNDECODABLE as error:
        raise damaged(words) from error


def damaged(words: str) -> SessionDamaged:
    """Return the error that says what cannot be read."""
    return SessionDamaged(f"The session is damaged: {words} cannot be read.", "See: selfheal sessions check SESSION")
