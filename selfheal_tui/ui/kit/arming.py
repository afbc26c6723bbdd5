"""When a key may answer: never by accident.

An answer key counts once its card has been painted and the answer keys have been quiet for a moment, so neither a
key typed ahead nor one held down (repeating about every 30 ms) answers a question that nobody has read.
"""

from __future__ import annotations

from typing import ClassVar


class Arming:
    """Decides for each answer key whether it counts; times are monotonic seconds, as on Textual's messages."""

    QUIET: ClassVar[float] = 0.35
    """Seconds without an answer key, after the paint, before one counts."""
    LINE: ClassVar[float] = 1.5
    """The same after a key that would have opened a line and was not heard: what follows is meant for that line."""

    def __init__(self) -> None:
        self._painted_at: float | None = None
        self._ignored_at = float("-inf")

    @property
    def armed(self) -> bool:
        """Whether a card stands painted on the screen."""
        return self._painted_at is not None

    def disarm(self) -> None:
        """Ignore answer keys: there is no card, or nobody can see it."""
        self._painted_at = None

    def arm(self, now: float) -> None:
        """Let answer keys count: the card has been painted."""
        self._painted_at = now

    def hears(self, pressed_at: float, *, opens_line: bool = False) -> bool:
        """Return whether an answer key pressed then counts."""
        painted = self._painted_at
        if painted is not None and pressed_at >= max(painted, self._ignored_at) + self.QUIET:
            return True
        self.miss(pressed_at, opens_line=opens_line)
        return False

    def miss(self, pressed_at: float, *, opens_line: bool = False) -> None:
        """Hear of an answer key that did nothing."""
        later = self.LINE - self.QUIET if opens_line else 0.0
        self._ignored_at = max(self._ignored_at, pressed_at + later)
