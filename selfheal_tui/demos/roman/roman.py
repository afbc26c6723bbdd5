"""Read Roman numerals."""

from __future__ import annotations

VALUES = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}


def is_numeral(text: str) -> bool:
    """Tell whether a text is made of the signs of Roman numerals only."""
    return bool(text) and all(sign in VALUES for sign in text.upper())


def to_number(numeral: str) -> int:
    """Return the value of a numeral; a smaller sign before a larger one is taken off."""
    total = 0
    for sign in numeral.upper():
        total += VALUES[sign]
    return total


def newest(years: list[str]) -> str:
    """Return the latest of several years carved in stone."""
    return max(years, key=to_number)
