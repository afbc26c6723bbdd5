"""Check digits of card numbers by the Luhn formula (ISO/IEC 7812-1)."""

from __future__ import annotations


def digits_of(number: str) -> list[int]:
    """Return the digits of a number, which may be grouped by spaces or dashes."""
    return [int(char) for char in number if char.isdigit()]


def luhn_sum(number: str) -> int:
    """Add the digits up, every second one from the right doubled, and 9 taken off what exceeds 9."""
    total = 0
    for place, digit in enumerate(reversed(digits_of(number))):
        value = digit
        if place % 2 == 0:
            value = digit * 2
            if value > 9:
                value -= 9
        total += value
    return total


def is_valid(number: str) -> bool:
    """Tell whether the check digit fits; a number needs two digits at least."""
    return len(digits_of(number)) >= 2 and luhn_sum(number) % 10 == 0


def check_digit(body: str) -> int:
    """Return the digit that makes `body` valid when it is appended."""
    return (10 - luhn_sum(body + "0") % 10) % 10
