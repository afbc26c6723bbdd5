"""What was left unsent at a question, read from and written to the session that is driven here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, Protocol, TypeVar

from selfheal_tui.engine.session.session import Session
from selfheal_tui.errors import SelfHealError

from .port import RunPort

T = TypeVar("T")


class _Kept(Protocol[T]):
    """What a session keeps of one kind, by the question."""

    async def load(self, checkpoint_id: str) -> list[T]: ...

    async def save(self, checkpoint_id: str, unsent: Sequence[T]) -> None: ...


class LeftUnsent(Generic[T]):
    """One kind of it; what cannot be read or written is told. Where a session is only watched there is none."""

    def __init__(self, port: RunPort, kind: Callable[[Session], _Kept[T]]) -> None:
        self._port, self._kind = port, kind

    async def load(self, checkpoint_id: str) -> list[T]:
        """Return what an earlier visit left."""
        session = self._port.driver.session
        if session is not None:
            try:
                return await self._kind(session).load(checkpoint_id)
            except SelfHealError as error:
                self._port.notify(str(error), severity="error", markup=False)
        return []

    async def save(self, checkpoint_id: str, unsent: Sequence[T]) -> None:
        """Write this as what is left at the question."""
        session = self._port.driver.session
        if session is not None:
            try:
                await self._kind(session).save(checkpoint_id, unsent)
            except SelfHealError as error:
                self._port.notify(str(error), severity="error", markup=False)

    def save_beside(self, checkpoint_id: str, unsent: Sequence[T]) -> None:
        """Write it, as it is now, beside what the screen does."""
        self._port.start_work("drafts", partial(self.save, checkpoint_id, list(unsent)), exclusive=False)
