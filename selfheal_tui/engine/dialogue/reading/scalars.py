"""The one choice, number or place that a few words name; None where they name none, or more than one."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from .fields import Schema, word_of

_LONGEST = 60
_NUMBER = re.compile(r"(?<![\w.])[+-]?(?:\d+(?:[.,]\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?!\w)")
_NUMBER_IN_WORD = re.compile(r"(?<=[A-Za-z])\d+\b")
_CUT = re.compile(r"\s*[+-]?\d*\.\s*")
_TENTHS = re.compile(r"\s*[\d.,]+\s*/\s*(?:10|100)\s*")
_RANGE = re.compile(r"\d\s*(?:-|–|to|and)\s*\d")
_NEGATED = re.compile(r"\b(?:not|no|never|neither|nor|isn't)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W_]+")
_PLACE = re.compile(
    r"[\s*`-]*+(?P<file>[\w./\\-]+\.\w+)`?(?:[\s:,(]+(?:lines?|L|ln)?[\s.:]*(?P<line>\d{1,9})(?:\s*[-–]\s*\d+)?\)?)?"
    r"[\s:,.)–—-]*(?P<why>.*)",
    re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file and what is said of it."""

    file: str
    line: int | None
    why: str


def meant_choice(text: str, choices: list[str]) -> str | None:
    """Return the choice that a few words name: `Code`, `the code.`, `tests`; nothing for `code or test`, `not code`."""
    words = [word.casefold() for word in _WORDS.findall(text[:200])]
    whole = "".join(words)
    for choice in choices:
        if whole == word_of(choice):
            return choice
    if len(text) > _LONGEST or _NEGATED.search(text):
        return None
    named = {c for c in choices for w in words if len(w) > 2 and (w.startswith(word_of(c)) or word_of(c).startswith(w))}
    return named.pop() if len(named) == 1 else None


def number_in(text: str, schema: Schema) -> float | int | None:
    """Return the number that a short text holds: `0.8 (high)`, `80%` and `8/10` of 1, `L12` and `12-14` for a line."""
    if len(text) > _LONGEST or (schema.get("type") == "number" and _CUT.fullmatch(text)):
        return None
    is_share, is_whole = schema.get("maximum") == 1, schema.get("type") == "integer"
    found = _NUMBER.findall(text) or (_NUMBER_IN_WORD.findall(text) if is_whole else [])
    numbers = [float(n.replace(",", ".")) for n in found]
    if not all(math.isfinite(n) and abs(n) < 1e15 for n in numbers):
        return None
    if is_share and len(numbers) == 2 and _TENTHS.fullmatch(text):
        return numbers[0] / numbers[1]
    if is_whole and len(numbers) == 2 and _RANGE.search(text):
        numbers = numbers[:1]
    if len(numbers) != 1:
        return None
    if re.search(r"\d\s*%", text):
        return numbers[0] / 100 if is_share else None
    return int(numbers[0]) if is_whole and numbers[0].is_integer() else numbers[0]


def place_in(text: str) -> Place | None:
    """Return the place in `prog.py:12 the reason` or in `prog.py` alone."""
    found = _PLACE.fullmatch(text) if len(text) <= 2000 else None
    if found is None or (found["line"] is None and found["why"]):
        return None
    return Place(found["file"], int(found["line"]) if found["line"] else None, found["why"].strip())
