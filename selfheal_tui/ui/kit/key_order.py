"""Keys in their order: each is handled before the next one is handed on.

Textual hands a key to what has the focus when the key arrives. Of a word typed at once after `F`, which opens a line,
the first letters would reach what had the focus before, and become commands. Here a key waits until the one before
it has been handled and the focus it asked for has moved; after an Enter that answers a line, until the line is closed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, ClassVar

from textual import events
from textual.app import App
from textual.message import Message
from textual.timer import Timer

Typed = events.Key | events.Paste
_AT_LAST = 1 << 20
"""Looks after which nothing is waited for any more."""


class KeyPassed(Message, bubble=True):
    """Goes the way of a key, right behind it; at the app it tells that the key was handled."""

    def __init__(self, turn: int) -> None:
        super().__init__()
        self.turn = turn


class KeyOrder:
    """Holds what is typed until the key before it has been handled."""

    PATIENCE_S: ClassVar[float] = 1.0
    """After this long the next key goes on all the same: what had the focus may be gone, and its key with it."""

    LOOK_S: ClassVar[float] = 0.02
    """How often it is looked whether an answer that was sent has been taken."""

    def __init__(
        self, app: App[Any], hand_on: Callable[[Typed], Awaitable[None]], answers: Callable[[], bool] = lambda: False
    ) -> None:
        """`hand_on` gives a key to what has the focus; `answers` tells whether an open line was answered."""
        self._app, self._hand_on, self._answers = app, hand_on, answers
        self._held: deque[Typed] = deque()
        self._turn = 0
        self._under_way = False
        self._patience: Timer | None = None

    async def take(self, typed: Typed) -> None:
        """Hand a key on, or hold it while another is under way."""
        if self._under_way:
            self._held.append(typed)
            self._be_patient()
            return
        target = self._app.focused or self._app.screen
        self._turn += 1
        self._under_way = True
        await self._hand_on(typed)
        if not target.post_message(KeyPassed(self._turn)):
            self._under_way = False

    def passed(self, event: KeyPassed) -> None:
        """The key was handled; what moves the focus stands in the app's queue by now."""
        event.stop()
        self._app.call_later(self._next, event.turn)

    async def _next(self, turn: int, looks: int = 0) -> None:
        if turn != self._turn or not self._under_way:
            return
        if self._answers() and looks * self.LOOK_S < self.PATIENCE_S:
            self._app.set_timer(self.LOOK_S, partial(self._next, turn, looks + 1))
            return
        self._under_way = False
        if self._patience is not None:
            self._patience.stop()
            self._patience = None
        while self._held and not self._under_way:
            await self.take(self._held.popleft())
        if self._held:
            self._be_patient()

    def _be_patient(self) -> None:
        if self._patience is None:
            self._patience = self._app.set_timer(self.PATIENCE_S, partial(self._next, self._turn, _AT_LAST))
