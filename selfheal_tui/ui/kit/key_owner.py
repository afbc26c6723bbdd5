"""Who has the keyboard: a line or a list that asks, from the key that opened it until it is closed.

The focus alone does not say so: a click or a pane that comes to the front takes it, and letters meant for an answer
would become commands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import events
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Input


class KeyOwner(Vertical):
    """A widget that asks something in a line of text."""

    @property
    def is_open(self) -> bool:
        """Whether it asks."""
        raise NotImplementedError

    @property
    def is_answered(self) -> bool:
        """Whether it was answered and is not closed yet: what is typed meanwhile is for what comes then."""
        raise NotImplementedError

    async def take(self, event: events.Key) -> bool:
        """Take a key that came while the focus is elsewhere; tell whether it is one for the line."""
        raise NotImplementedError


async def take_into(line: Input, event: events.Key, leave: Callable[[], None]) -> bool:
    """Do with a key what the line would do if it had the focus, and give it the focus; `leave` is Escape's.

    Tab stays in the line. Returns False for a key that no line has.
    """
    if event.key in ("tab", "shift+tab"):
        line.focus()
        return True
    if line.has_focus:
        return False
    if event.is_printable and event.character is not None:
        line.insert_text_at_cursor(event.character)
    elif event.key == "backspace":
        line.action_delete_left()
    elif event.key == "enter":
        await line.action_submit()
    elif event.key == "escape":
        leave()
        return True
    else:
        return False
    line.focus()
    return True


def owner_of_keys(screen: Screen[Any]) -> KeyOwner | None:
    """Return what has the keyboard of a screen; None while nothing asks."""
    return next((owner for owner in screen.query(KeyOwner) if owner.is_open), None)
