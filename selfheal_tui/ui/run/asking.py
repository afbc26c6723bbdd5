"""The line below the card that asks for a reason, a label or a confirmation; what follows is said where it is asked."""

from __future__ import annotations

from collections.abc import Awaitable

from ..kit.inline_prompt import Continuation
from .port import RunPort


class Asking:
    """Opens the line and gives the focus back when it is closed."""

    def __init__(self, port: RunPort) -> None:
        self._port = port

    def ask(self, title: str, hint: str, then: Continuation, needed: str = "") -> None:
        """Open the line and call `then` with the answer; `needed` is said when it is empty and may not be."""

        def answered(text: str) -> Awaitable[None] | None:
            self.close()
            return then(text)

        self._port.side.add_class("-asking-line")
        self._port.side.prompt.ask(title, hint, answered, needed=needed)

    def close(self) -> None:
        """Show the card's keys again and focus the tab in front."""
        self._port.side.remove_class("-asking-line")
        self._port.evidence.tabs.focus_view()
