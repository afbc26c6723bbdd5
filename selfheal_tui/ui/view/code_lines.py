"""Code as screen lines: control characters visible, tabs expanded, split the way Python counts lines."""

from __future__ import annotations

from selfheal_tui.text import show_controls, strip_controls

_TAB_SIZE = 4


def printable(text: str) -> str:
    """Return output as text that takes exactly one screen line per newline and moves no cursor."""
    return strip_controls(text).expandtabs(_TAB_SIZE)


def code_lines(text: str) -> list[str]:
    """Split into printable lines; a final newline opens no further line, an empty text has none.

    An escape sequence is shown, not taken out: else a comment could hide the code that follows it.
    """
    lines = show_controls(text).expandtabs(_TAB_SIZE).split("\n")
    return lines[:-1] if lines[-1] == "" else lines
