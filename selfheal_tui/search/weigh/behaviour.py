"""How candidates behave on calls that no test makes: which of them agree, and what would tell them apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_ENDLESS = ("!", "!RecursionError")
_FEW = 5
"""Calls from which on something may be said of all of them."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One candidate's answers."""

    answers: tuple[str, ...]
    """The repr of each call's value, `!Name` for an exception, `!` for too long; empty when it could not be asked."""
    cluster: int
    """Number shared by those that answer alike."""
    raises: frozenset[int] = frozenset()
    """Positions of the calls on which it raises and the program as it was did not."""
    new_crashes: float = 0.0
    """Their share of all calls, with those that it no longer ends on."""
    contradicted: int = 0
    """Examples of the docstring that it answers otherwise."""
    hangs: float = 0.0
    """Share of the calls that it does not end or recurses without end on, where another candidate has an answer."""
    is_constant: bool = False
    """It answers every call alike."""
    is_shift: bool = False
    """Its answers are those of the program as it was, all moved by the same amount: that fits any single case."""
    narrowed: float = 0.0
    """Share of the different answers of the program as it was that it has less of."""
    is_seen: bool = False
    """It answers a call otherwise than the program as it was."""


def build_behaviours(
    before: Sequence[str],
    rows: Sequence[Sequence[str]],
    examples: Mapping[int, str] | None = None,
    differ: bool = False,
) -> list[Behaviour]:
    """Return the behaviour of each row of answers; `before` are those of the program as it was.

    `examples` are the right answers of some of the calls, by position. `differ`: the tests expect different results
    of these functions. Then one answer to all calls says nothing, where the program gave one to all as well.
    """
    # Where the tests import the module only, a call without its name was never asked.
    asked = {at: wanted for at, wanted in (examples or {}).items() if before[at : at + 1] != ["!NameError"]}
    numbers: dict[tuple[str, ...], int] = {}
    answered = {at for row in rows for at, answer in enumerate(row) if not answer.startswith("!")}
    return [
        Behaviour(
            tuple(row),
            numbers.setdefault(tuple(row), len(numbers)),
            frozenset(at for at, pair in enumerate(zip(before, row, strict=False)) if _raises_now(*pair)),
            _new_crashes(before, row),
            sum(row[at] != wanted for at, wanted in asked.items() if at < len(row)),
            sum(row[at] in _ENDLESS for at in answered if at < len(row)) / (len(row) or 1),
            *_variety(before, row, differ),
            is_seen=any(then != now for then, now in zip(before, row, strict=False)),
        )
        for row in rows
    ]


def _raises_now(then: str, now: str) -> bool:
    return len(now) > 1 and now.startswith("!") and not then.startswith("!")


def _new_crashes(before: Sequence[str], row: Sequence[str]) -> float:
    pairs = list(zip(before, row, strict=False))
    crashed = sum(now.startswith("!") and not then.startswith("!") for then, now in pairs)
    return crashed / len(pairs) if pairs else 0.0


def _variety(before: Sequence[str], row: Sequence[str], differ: bool) -> tuple[bool, bool, float]:
    if not before or not row:
        return False, False, 0.0
    old, new = ([answer for answer in answers if not answer.startswith("!")] for answers in (before, row))
    different = len(set(old))
    narrowed = max(0, different - len(set(new))) / (different or 1)
    is_constant = len(new) >= _FEW and len(set(new)) == 1 and not (differ and different < 2)
    return is_constant, _is_shift(before, row), narrowed


def _is_shift(before: Sequence[str], row: Sequence[str]) -> bool:
    pairs = [(_number(then), _number(now)) for then, now in zip(before, row, strict=False)]
    steps = [round(now - then, 9) for then, now in pairs if then is not None and now is not None]
    return len(steps) >= _FEW and steps[0] != 0 and len(set(steps)) == 1


def _number(answer: str) -> float | None:
    """Return an answer that is a number, as far as a float holds it."""
    try:
        number = float(answer)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
