"""Marks for values that may not be what the model meant: `coerce` keeps or refuses them, and no result holds one."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

CUT = "was cut off"


@dataclass(frozen=True, slots=True)
class Damaged:
    """A value that the reply holds but that may not be what the model meant."""

    text: str
    """What could be read of it; prose may be kept."""
    why: str
    """What is wrong with it, as the end of a sentence that begins with its path."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """The different values of a key that one object holds more than once, in the order of the text."""

    values: tuple[Any, ...]


def build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs as a dict; a key given twice with different values keeps them all."""
    built: dict[str, Any] = {}
    for key, value in pairs:
        if key not in built or built[key] is None:
            built[key] = value
        elif value is not None and not same(built[key], value):
            old = built[key]
            built[key] = Repeated((*(old.values if isinstance(old, Repeated) else (old,)), value))
    return built


def same(one: Any, other: Any) -> bool:
    """Compare like JSON does: `True` is not `1`."""
    return type(one) is type(other) and bool(one == other)


def read_number(token: str) -> int | float | Damaged:
    """Return a JSON number; one that is out of any sensible range is damaged.

    Python refuses integers of more than 4,300 digits with a ValueError, and reads 1e999 as infinity.
    """
    if len(token) < 18 and token.isdecimal():
        return int(token)
    if len(token) > 30:
        return Damaged(token[:30], "is too long a number")
    try:
        number = float(token)
        if not math.isfinite(number):
            return Damaged(token, "is not a finite number")
        return int(token) if token.lstrip("+-").isdigit() else number
    except ValueError:
        return Damaged(token, "is not a number")


DECODER = json.JSONDecoder(
    object_pairs_hook=build_object,
    parse_int=read_number,
    parse_float=read_number,
    parse_constant=lambda name: Damaged(name, "is not a finite number"),
)
"""Reads sound JSON, marking what JSON allows and nobody can use."""
