"""What the app says to the terminal around the screen: its window title, kept and given back.

Sequences are those of xterm's ctlseqs: OSC 2 sets the title, CSI 22;2t and CSI 23;2t save and restore it. A terminal
that cannot restore is left with an empty title of ours, which most replace by their own.
"""

from __future__ import annotations

from collections.abc import Callable

from selfheal_tui.text import one_line

_SAVE, _RESTORE = "\x1b[22;2t", "\x1b[23;2t"
MOST_TITLE = 100


class WindowTitle:
    """The title of the terminal's window while the app has it."""

    def __init__(self, write: Callable[[str], None]) -> None:
        """`write` takes what goes to the terminal as it is."""
        self._write = write
        self.now = ""
        """The title that is shown; empty while it is not ours."""

    def show(self, title: str) -> None:
        """Set the title; foreign text in it is made safe."""
        safe = one_line(title, MOST_TITLE)
        if safe == self.now:
            return
        if not self.now:
            self._write(_SAVE)
        self.now = safe
        self._write(f"\x1b]2;{safe}\x07")

    def give_back(self) -> None:
        """Restore what was there before the first `show`."""
        if self.now:
            self._write(f"\x1b]2;\x07{_RESTORE}")
            self.now = ""
