"""Comparisons that the program decides: asked of it, noted, and against plain data tested with values that differ.

An object that is compared with a value is asked, in requests that look alike and come in no order, about values near it
too: whoever says to more than one of them that they are equal is lying, or compares so loosely that it proves nothing.
"""

from __future__ import annotations

import random
import string
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from .handles import ask_special, decides, doubt, handle_of, is_value, state_of
from .notes import with_article

DECOYS = 9
"""Values asked about beside the real one; no fewer than eight."""
_SCALARS = (int, float, complex, str, bytes)
_chance = random.SystemRandom()
_ALPHABETS = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
_CONSTANTS: tuple[Any, ...] = (None, True, 0, 1, -1, 2.5, "", "x", b"x", (), (0,), [], [0], {}, {0: 0}, set(), {0})


def compare(left: Any, name: str, right: Any) -> Any:
    """Return what `left`, an object of the program, says to the comparison `name`, such as `__eq__`, with `right`.

    NotImplemented where `right` has to say. Raises: NotCarried, ProgramFault, or what the program raises.
    """
    state = state_of(type(left))
    split, kind = state.split, type(left).__name__
    equality = name in ("__eq__", "__ne__")
    relation = "equality" if equality else "order"
    if handle_of(right) is not None:
        if equality and not state.decides and not decides(right):
            if not (_is_member(left) and _is_member(right)):
                split.notes.doubt(f"which {kind} objects are one and the same is decided by the program itself")
            return NotImplemented
        doubt(left, f"{relation} of")
        return verdict(left, name, ask_special(left, name, right))
    if equality and not state.decides:
        return NotImplemented
    if not split.crosses(right):
        if type.__getattribute__(type(right), "__eq__") is object.__eq__:
            raise split.notes.limit(f"compares {with_article(kind)} object with one of its own")
        return NotImplemented
    split.notes.doubt(f"{relation} of {kind} objects with plain data is decided by the program itself")
    answer = _tested(left, name, right) if equality else ask_special(left, name, right)
    return verdict(left, name, answer)


def verdict(left: Any, name: str, answer: Any) -> Any:
    """Return what the program answered to a comparison; note it as a lie where it is true without being a yes.

    Arrays and queries answer with an object: that is one once the test takes it for a yes.
    """
    if type(answer) is bool or answer is NotImplemented:
        return answer
    notes, handle = state_of(type(left)).split.notes, handle_of(answer)
    comparison = f"{name} of {type(left).__name__} objects"
    notes.doubt(f"{comparison} is answered with neither yes nor no")
    if handle is not None and not is_value(answer):
        handle.answered = comparison
    elif type(answer) in _SCALARS and answer:
        notes.lie(f"{comparison} is answered with {_short(answer)}, which is neither yes nor no")
    return answer


def _is_member(value: Any) -> bool:
    handle = handle_of(value)
    return handle is not None and handle.member


def _tested(left: Any, name: str, right: Any) -> Any:
    values = [(right, True), *((decoy, False) for decoy in decoys(right))]
    _chance.shuffle(values)
    answers = [(value, is_real, ask_special(left, name, value)) for value, is_real in values]
    equals = [value for value, _, answer in answers if _is_yes(name, answer)]
    if len(equals) > 1:
        kind, notes = type(left).__name__, state_of(type(left)).split.notes
        notes.lie(f"{with_article(kind)} object says that it equals {_short(equals[0])} and {_short(equals[1])} alike")
        return False
    return next(answer for _, is_real, answer in answers if is_real)


def _is_yes(name: str, answer: Any) -> bool:
    """Say whether an answer says that two are equal; what is no plain answer is no yes before it is used as one."""
    return type(answer) in (bool, *_SCALARS) and bool(answer) is (name == "__eq__")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def decoys(value: Any) -> list[Any]:
    """Return `DECOYS` values that differ from this one and from each other; of plain data most are near it."""
    plain = _is_data(value)
    chosen: list[Any] = []
    for decoy in (*(_near(value) if plain else ()), *_chance.sample(_CONSTANTS, len(_CONSTANTS))):
        if not any(_equal(decoy, other) for other in ([value, *chosen] if plain else chosen)):
            chosen.append(decoy)
    return chosen[:DECOYS]


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except ArithmeticError:  # a signalling NaN
        return False


def _is_data(value: Any) -> bool:
    if type(value) in (list, tuple, set, frozenset):
        return all(map(_is_data, value))
    if type(value) is dict:
        return all(_is_data(part) for pair in value.items() for part in pair)
    return handle_of(value) is None


def _near(value: Any) -> list[Any]:
    """Return values of the same type, none of which stands out from the rest and the real one."""
    kind = type(value)
    if kind in (int, float, Decimal, Fraction):
        return _shifted(value, 1)
    if isinstance(value, date):
        return _shifted(value, timedelta(1))
    if kind is timedelta:
        return _shifted(value, timedelta(seconds=1))
    if kind is str:
        return ["".join(near) for near in _near_sequences([*value])]
    if kind is bytes:
        return [bytes(number % 256 for number in near) for near in _near_sequences([*value])]
    if kind in (list, tuple):
        return [kind(near) for near in _near_sequences([*value])]
    if kind in (set, frozenset):
        return [kind(near) for near in _near_sequences(sorted(value, key=repr))]
    if kind is dict:
        return [dict(zip([*value, "more"], near, strict=False)) for near in _near_sequences([*value.values()])]
    return []


def _shifted(value: Any, step: Any) -> list[Any]:
    """Return neighbours in a row; the real one may be anywhere in it, so that its middle tells nothing."""
    below = _chance.randrange(DECOYS + 1)
    row = []
    for count in range(-below, DECOYS + 1 - below):
        try:
            row.append(value + step * count)
        except ArithmeticError:  # out of range
            pass
    _chance.shuffle(row)
    return row


def _near_sequences(items: list[Any]) -> list[list[Any]]:
    """Return lists with one item changed, most at the same place; then one longer, one shorter and one swapped."""
    if not items:
        return []
    place = _chance.randrange(len(items))
    changed = [[*items[:place], near, *items[place + 1 :]] for near in _near_item(items[place])]
    swapped = [[*items[:-2], items[-1], items[-2]]] if len(items) > 1 else []
    return [*changed[: DECOYS - 3], items[:-1], [*items, items[place]], *swapped, *changed[DECOYS - 3 :]]


def _near_item(item: Any) -> list[Any]:
    if type(item) is not str or len(item) != 1:
        return _near(item) or [None, 0, "x"]
    alphabet = next((letters for letters in _ALPHABETS if item in letters), string.ascii_lowercase)
    first = max(alphabet.find(item), 0) - _chance.randrange(DECOYS)
    letters = [alphabet[(first + step) % len(alphabet)] for step in range(DECOYS)]
    _chance.shuffle(letters)
    return letters
