"""Text for a terminal: long lines are broken between words, what is copied or read as code is not."""

from __future__ import annotations

import re
import shutil
from typing import TextIO

from selfheal_tui.text import filled

_COMMAND = re.compile(r"\bselfheal [a-z]")
_ENDING = re.compile(r": (selfheal [a-z].*)$")
"""A command that ends a sentence."""
_NARROWEST = 20


class Code(str):
    """A line that stays as it is: of a program or of a diff."""

    __slots__ = ()


def folded(text: str, stream: TextIO) -> str:
    """Return prose as it is written to `stream`: broken at a terminal's width, below the line's own indent."""
    width = width_of(stream)
    return "\n".join(fold(line, width) for line in text.split("\n"))


def hanging(lead: str, text: str, stream: TextIO) -> str:
    """Return a lead and prose beside it, which is broken between words and goes on below where it began."""
    width = width_of(stream)
    return filled(lead + text, width, " " * len(lead)) if 0 < width < len(lead + text) else lead + text


def width_of(stream: TextIO) -> int:
    """Return the columns of the terminal that `stream` is; 0 where it is none."""
    return max(shutil.get_terminal_size().columns, _NARROWEST) if stream.isatty() else 0


def fold(line: str, width: int) -> str:
    """Break a line between words; a command stays whole, to be copied. 0 columns: nothing is broken.

    A command that ends a sentence gets a line of its own where both do not fit on one.
    """
    if not width or len(line) <= width or isinstance(line, Code):
        return line
    if ending := _ENDING.search(line):
        return f"{fold(line[: ending.start() + 1], width)}\n  {ending[1]}"
    if _COMMAND.search(line):
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return filled(line, width, indent)
