"""Fuel: a call at the start of every loop's and function's body that ends a run after so many, in microseconds.

Put in as text, because a tree takes three times as long to make. What is not found (on one line, a loop with a header
over several lines, or in C) runs without; the timer ends it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

NAME = "__fuel__"
"""What the call is named, among the builtins; no class mangles it."""
_LOOP = re.compile(
    r"\n([ \t]*(?=[adfw])(?:(?:(?:async[ \t]+)?(?:for|def)|while)\b[^\n]*:"
    r"|(?:async[ \t]+)?def\b[^\n]*[(,][ \t]*\n(?:(?:[^\n]*[^:\n])?\n){0,40}?[^\n]*\)[^\n()]*:)[ \t]*(?:#[^\n]*)?"
    r"(?:\n[ \t]*(?:#[^\n]*)?)*)(?=\n([ \t]+)\S)"
)
"""A character that is looked for comes first, then the letters that can begin a header: twenty times as fast."""

_UNTIL_FILLED = 1 << 62


class Exhausted(BaseException):
    """The fuel is used up; not an Exception, so that a program does not take it for its own."""


class Tank:
    """Counts rounds of loops, from when it is filled first: collecting the cases may run what it likes."""

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds
        self.burn, self.fill, self.left = _counter(rounds)

    @property
    def used(self) -> int:
        """Rounds since it was filled."""
        return self._rounds - self.left()


def _counter(rounds: int) -> tuple[Callable[[], None], Callable[[], None], Callable[[], int]]:
    """Return functions that burn one round, fill the tank, and tell what is in it; a closure is the fastest."""
    fuel = _UNTIL_FILLED

    def burn() -> None:
        nonlocal fuel
        fuel -= 1
        if fuel < 0:
            raise Exhausted

    def fill() -> None:
        nonlocal fuel
        fuel = rounds

    return burn, fill, lambda: fuel


def fuelled(text: str) -> str:
    """Return the program with fuel in its loops; lines move."""
    return _LOOP.sub(rf"\n\1\n\2{NAME}()", "\n" + text.replace("\r\n", "\n"))[1:]
