"""The line below the card that asks for a reason, a label or a confirmation; what follows is said where it is asked."""

from __future__ import annotations

import inspect

from selfheal_tui.engine.moment.review import NOTE_LIMIT

from ..kit.inline_prompt import Continuation, Takes
from .port import RunPort


class Asking:
    """Opens the line; closes it, and gives the focus back, once the session has taken the answer."""

    def __init__(self, port: RunPort) -> None:
        self._port = port

    def ask(
        self,
        title: str,
        hint: str,
        then: Continuation,
        needed: str = "",
        *,
        draft_key: str = "",
        at_once: str = "",
        takes: Takes = "text",
    ) -> None:
        """Open the line and call `then` with the answer; `needed` is said when it is empty and may not be.

        What was typed and left stands in it again, by `draft_key` (the title without one).
        It stays open until the session has taken the answer or refused it. Letters of `at_once` need no Enter.
        """
        self._make_room_for(title)
        self._port.side.prompt.ask(
            title, hint, then, needed=needed, draft_key=draft_key, told_later=True, at_once=at_once, takes=takes
        )

    def ask_here(
        self,
        title: str,
        hint: str,
        then: Continuation,
        needed: str = "",
        *,
        text: str = "",
        draft_key: str = "",
        takes: Takes = "text",
        limit: int = NOTE_LIMIT,
    ) -> None:
        """Open the line for what starts no run: it is closed once `then` is done; `text` is what stands in it."""

        async def done(answer: str) -> None:
            result = then(answer)
            if inspect.isawaitable(result):
                await result
            self.close()

        self._make_room_for(title)
        self._port.side.prompt.ask(
            title,
            hint,
            done,
            needed=needed,
            text=text,
            draft_key=draft_key,
            told_later=True,
            takes=takes,
            limit=limit,
        )

    def _make_room_for(self, title: str) -> None:
        """In a small terminal a line beside the timeline would be cut."""
        self._port.begin_asking()
        if self._port.side.screen.has_class("-narrow"):
            self._port.show_timeline(False)
        self._port.side.make_room_for(title)

    def close(self, *, left: bool = False) -> None:
        """Show the card's keys again and focus the tab in front, or the timeline where the line was opened and left."""
        self._port.side.prompt.close()
        self._port.side.remove_class("-asking-line", "-asking-much")
        self._port.evidence.tabs.focus_view()
        self._port.end_asking(left=left)

    def settle(self) -> None:
        """Close the line, or the list, if an answer of it was sent: the session has taken it."""
        self._port.side.picker.settle()
        if self._port.side.prompt.was_sent:
            self.close()

    def refuse(self, why: str) -> bool:
        """Say in the line, or the list, why its answer cannot be used; tell whether one was sent."""
        if self._port.side.picker.refuse(why):
            return True
        prompt = self._port.side.prompt
        if not prompt.was_sent:
            return False
        self._port.side.add_class("-asking-line")
        prompt.refuse(why)
        return True
