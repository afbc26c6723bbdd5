"""What running the cases showed of a program file: types and values of its expressions, and how cases failed.

It guides the search only. It comes from the process of the program, so none of it is believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Place = tuple[int, int, int, int]
"""Line, column, end line, end column of an expression, as `ast` counts: lines from 1, columns in UTF-8 bytes."""

_NUMBERS = frozenset({"int", "float", "complex", "bool"})


@dataclass(frozen=True, slots=True)
class Observations:
    """Observations of one program file; empty where nothing was observed."""

    types: Mapping[Place, frozenset[str]] = field(default_factory=dict)
    """Expression -> names of the types it had."""
    watched: frozenset[Place] = frozenset()
    """Expressions whose types were recorded; one without types was never evaluated."""
    values: Mapping[Place, tuple[int | str, ...]] = field(default_factory=dict)
    """Expression -> some integers and short strings that it was, most frequent first."""
    evaluated: Mapping[str, frozenset[Place]] = field(default_factory=dict)
    """Case id -> expressions that it evaluated."""
    variables: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    """Function name, empty for the module -> variable -> names of the types it had."""
    returns: Mapping[int, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    """Line of a `return` that answered a test's own call -> case id -> local -> literal repr."""
    expected: Mapping[str, str] = field(default_factory=dict)
    """Case id -> the literal that the case compares a call with."""
    mismatches: frozenset[tuple[str, str]] = frozenset()
    """Types (returned, expected) of failing comparisons whose types differ."""
    differences: tuple[tuple[str, str], ...] = ()
    """Texts (returned, expected) that failing comparisons showed to differ."""
    errors: tuple[tuple[str, str, int], ...] = ()
    """Exceptions of failing cases: type, text, line in this file or 0."""

    @property
    def wants_bytes(self) -> bool:
        """A text was given where only bytes fit, by the words of CPython's own modules."""
        return any(
            "must be encoded" in text or "bytes-like object is required, not 'str'" in text
            for _, text, _ in self.errors
        )


def compatible(some: frozenset[str], others: frozenset[str]) -> bool | None:
    """Tell whether types overlap, all numbers counting as alike; None when either set is empty."""
    if not some or not others:
        return None
    if some & others:
        return True
    return bool(some & _NUMBERS and others & _NUMBERS and "bool" not in some ^ others)
