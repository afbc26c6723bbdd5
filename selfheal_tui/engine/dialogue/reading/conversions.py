"""Read a value of one type as one of another: words as a choice, a number or a place; text as an object or a list.

None where the words name no such value, or more than one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .fields import Schema, field_for, path_and_code, properties_of, word_of
from .marks import DECODER, Damaged, Repeated

SURROGATE = re.compile("[\ud800-\udfff]")
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
    matches = _NUMBER.findall(text) or (_NUMBER_IN_WORD.findall(text) if is_whole else [])
    numbers = [float(n.replace(",", ".")) for n in matches]
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
    match = _PLACE.fullmatch(text) if len(text) <= 2000 else None
    if match is None or (match["line"] is None and match["why"]):
        return None
    return Place(match["file"], int(match["line"]) if match["line"] else None, match["why"].strip())


def list_of(value: Any, items: Schema) -> list[Any]:
    """Return the list that a single value, or a string of JSON, stands for."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        decoded = parsed(value)
        value = value if decoded is None else decoded
    if isinstance(value, list):
        return value
    if isinstance(value, str) and properties_of(items):
        return [line for line in value.splitlines() if line.strip()]
    if not isinstance(value, dict):
        return [value]
    if any(field_for(key, properties_of(items)) for key in value):
        return [value]
    if len(value) == 1 and isinstance(inner := next(iter(value.values())), list):
        return inner
    pair = path_and_code(items)
    if pair and all(isinstance(v, str | Damaged) and re.search(r"[./\\]", k) for k, v in value.items()):
        return [{pair[0]: key, pair[1]: text} for key, text in value.items()]
    return [value]


def object_in(text: str, fields: Mapping[str, Schema]) -> dict[str, Any] | None:
    """Return the object that a string holds as JSON or as `prog.py:12 the reason`."""
    decoded = parsed(text)
    if isinstance(decoded, dict):
        return decoded
    place = place_in(text)
    name = next((n for n in ("file", "path") if n in fields), None)
    if place is None or name is None:
        return None
    place_fields = {name: place.file, "line": place.line, "why": place.why}
    return {key: value for key, value in place_fields.items() if key in fields and value is not None}


def parsed(text: str) -> Any:
    """Return the object or list that a string is the JSON of, else None."""
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        decoded = DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        return None
    return decoded if isinstance(decoded, dict | list) else None


def plain(value: Any) -> Any:
    """Replace the marks in a value by their text, and lone surrogates, so that JSON in UTF-8 can hold it."""
    match value:
        case Damaged():
            return plain(value.text)
        case Repeated():
            return plain(value.values[-1])
        case str():
            return SURROGATE.sub("\ufffd", value)
        case list():
            return [plain(item) for item in value]
        case dict():
            return {plain(key): plain(item) for key, item in value.items()}
    return value
