"""Code as screen lines: control characters visible, tabs expanded, split the way Python counts lines."""

from __future__ import annotations

from selfheal_tui.text import strip_controls

_TAB_SIZE = 4
_ODD_BREAKS = str.maketrans(dict.fromkeys("\u2028\u2029\ufeff", "\ufffd"))


def printable(text: str) -> str:
    """Return text that takes exactly one screen line per newline and moves no cursor."""
    return strip_controls(text).translate(_ODD_BREAKS).expandtabs(_TAB_SIZE)


def code_lines(text: str) -> list[str]:
    """Split into printable lines; a final newline opens no further line, an empty text has none.

    An escape sequence shows as its characters: one that were cut out could take code that runs out of sight.
    """
    lines = printable(text.replace("\x1b", "\ufffd")).split("\n")
    return lines[:-1] if lines[-1] == "" else lines
