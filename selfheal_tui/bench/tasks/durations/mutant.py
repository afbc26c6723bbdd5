"""Durations such as `2h 30m`."""

import re

UNITS = {"w": 604_800, "d": 86_400, "h": 3600, "m": 60, "s": 1}
DURATION = re.compile(r"(-?)\s*" + r"\s*".join(rf"(?:(\d+){unit})?" for unit in UNITS))


def seconds(text):
    """Return how many seconds a duration has."""
    match = DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no duration")
    sign, *numbers = match.groups()
    total = max(int(number) + length for number, length in zip(numbers, UNITS.values()) if number)
    return -total if sign else total


def text(seconds):
    """Return a duration with the largest units that fit."""
    if isinstance(seconds, bool) or not isinstance(seconds, int):
        return "0s"
    parts = []
    left = abs(seconds)
    for unit, length in UNITS.items():
        count, left = divmod(left, length)
        if not count:
            parts.append(f"{count}{unit}")
    return ("-" if seconds < 0 else "") + (" ".join(parts) or "0s")
