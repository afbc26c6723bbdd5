"""Which repairs break what held before, and by which call. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from selfheal_tui.text import one_line, value_line

from ..inputs import call_text
from ..unlikely import new_signs
from . import RELATIONS
from .base import Known, Property

_LEAST_CALLS = 6
"""Calls of which a property must have held, to be more than chance."""
_MOST_BASES = 24
_LONGEST = 400
"""Characters of a call, and of an answer, that are read."""
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Breach:
    """What one repair breaks."""

    kind: str
    """Of `RELATIONS`."""
    why: str
    """One sentence for the user."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A property, and the calls by which it is looked at."""

    kind: str
    known: Known
    property: Property
    calls: tuple[tuple[tuple[Any, ...], str, str], ...]
    """(arguments, call, second call); no second call is empty."""


def build_asked(evidence: Mapping[str, Known], calls: Sequence[str]) -> list[Asked]:
    """Return the properties of the functions with what to ask; `calls` are those that no test makes, as source text."""
    asked = []
    for known in evidence.values():
        made = [one for call in calls if (one := _arguments(call, known.function)) is not None]
        distinct = {repr(one): one for one in [*(case.arguments for case in known.cases), *made]}
        seeds = [case.arguments for case in known.cases]
        likely = [one for one in distinct.values() if not new_signs(one, seeds)]
        for kind, (look_for, _) in RELATIONS.items():
            asked += [Asked(kind, known, one, tuple(_pairs(known, one, likely))) for one in look_for(known)]
    return asked


def _pairs(
    known: Known, one: Property, likely: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[tuple[Any, ...], str, str]]:
    for arguments in likely if one.second is None else likely[:_MOST_BASES]:
        call, second = call_text(known.function, arguments), one.second(arguments) if one.second is not None else ""
        if len(call) <= _LONGEST and len(second) <= _LONGEST and (one.second is None or second not in ("", call)):
            yield arguments, call, second


def find_breaches(
    asked: Sequence[Asked], before: Mapping[str, str], rows: Sequence[Mapping[str, str]]
) -> list[tuple[Breach, ...]]:
    """Return the breaches of each row, at most one of each kind.

    Each row is call -> repr of its value for one repair, `before` that of the program as it was.
    """
    found: list[dict[str, Breach]] = [{} for _ in rows]
    values = [_values(row) for row in (before, *rows)]
    for one in asked:
        if not one.property.by_words and not _held(one, values[0]):
            continue
        for number, own in enumerate(values[1:]):
            broken = min(_broken(one, own), key=lambda calls: sum(map(len, calls)), default=None)
            if broken is not None and one.kind not in found[number]:
                found[number][one.kind] = Breach(one.kind, _sentence(one, broken, rows[number]))
    return [tuple(one.values()) for one in found]


def _held(one: Asked, values: Mapping[str, Any]) -> bool:
    """Tell whether the program as it was kept a property on several calls, with different results."""
    results: set[str] = set()
    number = 0
    for arguments, call, second in one.calls:
        if call in values and (not second or second in values):
            told = one.property.holds(arguments, values[call], values.get(second))
            if told is False:
                return False
            if told:
                number += 1
                results.add(repr(values[call]))
    return number >= _LEAST_CALLS and len(results) > 1


def _broken(one: Asked, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for arguments, call, second in one.calls:
        if call not in values or (second and second not in values):
            continue
        if one.property.holds(arguments, values[call], values.get(second)) is False:
            yield call, second


def _sentence(one: Asked, broken: tuple[str, str], row: Mapping[str, str]) -> str:
    since = "In the cases and before" if one.property.second is None else "Before"
    since = "In the cases" if one.property.by_words else f"{since} the change"
    gives = " and ".join(f"{value_line(call, _SHOWN)} gives {one_line(row[call], _SHOWN)}" for call in broken if call)
    return f"{since}, {one.property.says}; with it {gives}."


def _values(row: Mapping[str, str]) -> dict[str, Any]:
    """Return the answers that are plain values; what the program says is data and nothing else."""
    values = {}
    for call, answer in row.items():
        if len(answer) <= _LONGEST and not answer.startswith("!"):
            try:
                values[call] = ast.literal_eval(answer)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue
    return values


def _arguments(call: str, function: str) -> tuple[Any, ...] | None:
    """Return the arguments of a call of a function with plain values, None for any other."""
    if not call.startswith(f"{function}(") or not call.endswith(")"):
        return None
    try:
        return tuple(ast.literal_eval(f"[{call[len(function) + 1 : -1]}]"))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
