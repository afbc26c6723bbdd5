"""The line below the card that asks for a reason, a label or a confirmation; what follows is said where it is asked."""

from __future__ import annotations

from ..kit.inline_prompt import Continuation
from .port import RunPort


class Asking:
    """Opens the line; closes it, and gives the focus back, once the session has taken the answer."""

    def __init__(self, port: RunPort) -> None:
        self._port = port

    def ask(self, title: str, hint: str, then: Continuation, needed: str = "") -> None:
        """Open the line and call `then` with the answer; `needed` is said when it is empty and may not be.

        It stays open until the session has taken the answer or refused it.
        """
        self._port.side.add_class("-asking-line")
        self._port.side.prompt.ask(title, hint, then, needed=needed, told_later=True)

    def close(self) -> None:
        """Show the card's keys again and focus the tab in front."""
        self._port.side.prompt.close()
        self._port.side.remove_class("-asking-line")
        self._port.evidence.tabs.focus_view()

    def settle(self) -> None:
        """Close the line if an answer of it was sent: the session has taken it."""
        if self._port.side.prompt.was_sent:
            self.close()

    def refuse(self, why: str) -> bool:
        """Say in the line why its answer cannot be used; tell whether one was sent."""
        prompt = self._port.side.prompt
        if not prompt.was_sent:
            return False
        self._port.side.add_class("-asking-line")
        prompt.refuse(why)
        return True
