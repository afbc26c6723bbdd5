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

from .handles import decides, handle_of, is_value, state_of

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
    if handle_of(right) is not None:
        if equality and not state.decides and not decides(right):
            if not (_is_member(left) and _is_member(right)):
                split.notes.doubt(f"which {kind} objects are one and the same is decided by the program itself")
            return NotImplemented
        split.notes.doubt(f"{'equality' if equality else 'order'} of {kind} objects is decided by the program itself")
        return verdict(left, name, split.ask("special", [left, right], [name]))
    if equality and not state.decides:
        return NotImplemented
    if not split.crosses(right):
        if type.__getattribute__(type(right), "__eq__") is object.__eq__:
            raise split.notes.limit(f"compares a {kind} object with one of its own")
        return NotImplemented
    split.notes.doubt(
        f"{'equality' if equality else 'order'} of {kind} objects with plain data is decided by the program itself"
    )
    said = _tested(left, name, right) if equality else split.ask("special", [left, right], [name])
    return verdict(left, name, said)


def verdict(left: Any, name: str, said: Any) -> Any:
    """Return what the program answered to a comparison; note it as a lie where it is true without being a yes.

    Arrays and queries answer with an object: that is one once the test takes it for a yes.
    """
    if type(said) is bool or said is NotImplemented:
        return said
    split, kind = state_of(type(left)).split, type(left).__name__
    handle = handle_of(said)
    comparison = f"{name} of {kind} objects"
    split.notes.doubt(f"{comparison} is answered with neither yes nor no")
    if handle is not None and not is_value(said):
        handle.answered = comparison
    elif type(said) in _SCALARS and said:
        split.notes.lie(f"{comparison} is answered with {_short(said)}, which is neither yes nor no")
    return said


def _is_member(value: Any) -> bool:
    handle = handle_of(value)
    return handle is not None and handle.member


def _tested(left: Any, name: str, right: Any) -> Any:
    split = state_of(type(left)).split
    asked = [(right, True), *((decoy, False) for decoy in decoys(right))]
    _chance.shuffle(asked)
    said = [(value, is_real, split.ask("special", [left, value], [name])) for value, is_real in asked]
    answer = next(answer for _, is_real, answer in said if is_real)
    equals = [value for value, _, answer in said if _is_yes(name, answer)]
    if len(equals) > 1:
        kind = type(left).__name__
        split.notes.lie(f"a {kind} object says that it equals {_short(equals[0])} and {_short(equals[1])} alike")
        return False
    return answer


def _is_yes(name: str, answer: Any) -> bool:
    """Say whether an answer says that two are equal; what is no plain answer is no yes before it is used as one."""
    return type(answer) in (bool, *_SCALARS) and bool(answer) is (name == "__eq__")


def _short(value: object) -> str:
    said = repr(value)
    return said if len(said) <= 80 else f"{said[:77]}..."


def decoys(value: Any) -> list[Any]:
    """Return `DECOYS` values that differ from this one and from each other; of plain data most are near it."""
    plain = _is_data(value)
    found: list[Any] = []
    for candidate in (*(_near(value) if plain else ()), *_chance.sample(_CONSTANTS, len(_CONSTANTS))):
        if not any(_equal(candidate, other) for other in ([value, *found] if plain else found)):
            found.append(candidate)
    return found[:DECOYS]


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
        return _shifted(value, [1] * DECOYS)
    if isinstance(value, date):
        return _shifted(value, [timedelta(1)] * DECOYS)
    if kind is timedelta:
        return _shifted(value, [timedelta(seconds=1)] * DECOYS)
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


def _shifted(value: Any, steps: list[Any]) -> list[Any]:
    """Return neighbours in a row; the real one may be anywhere in it, so that its middle tells nothing."""
    below = _chance.randrange(len(steps) + 1)
    found = []
    for count in range(-below, len(steps) + 1 - below):
        try:
            found.append(value + steps[0] * count)
        except (OverflowError, ArithmeticError):
            pass
    _chance.shuffle(found)
    return found


def _near_sequences(items: list[Any]) -> list[list[Any]]:
    """Return lists with one item changed, most at the same place; then one longer, one shorter and one swapped."""
    found = []
    if items:
        place = _chance.randrange(len(items))
        changed = [[*items[:place], near, *items[place + 1 :]] for near in _near_item(items[place])]
        found = [*changed[: DECOYS - 3], items[:-1], [*items, items[place]]]
        if len(items) > 1:
            found.append([*items[:-2], items[-1], items[-2]])
        found += changed[DECOYS - 3 :]
    return found


def _near_item(item: Any) -> list[Any]:
    if type(item) is not str or len(item) != 1:
        return _near(item) or [None, 0, "x"]
    alphabet = next((letters for letters in _ALPHABETS if item in letters), string.ascii_lowercase)
    first = max(alphabet.find(item), 0) - _chance.randrange(DECOYS)
    letters = [alphabet[(first + step) % len(alphabet)] for step in range(DECOYS)]
    _chance.shuffle(letters)
    return letters
