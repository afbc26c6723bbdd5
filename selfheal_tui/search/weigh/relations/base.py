"""What may hold of every result of a function: learnt from the cases, the words and the program as it was. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Case:
    """One call of the tests with the result that they expect."""

    arguments: tuple[Any, ...]
    result: Any


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a function without running it."""

    function: str
    """As the tests call it."""
    cases: tuple[Case, ...]
    """Distinct calls with plain values; at least one."""
    words: str = ""
    """Docstring and specification, in small letters."""

    @property
    def places(self) -> range:
        """Positions of the arguments that every call has."""
        return range(min(len(case.arguments) for case in self.cases))


@dataclass(frozen=True, slots=True)
class Property:
    """Something that holds of all results in the cases, and may hold of all others."""

    says: str
    """One clause: "no result is negative"; of a second call: "f gave the same for a list backwards"."""
    holds: Callable[[Sequence[Any], Any, Any], bool | None]
    """Tell whether it holds of (arguments, result, result of the second call); None where it says nothing of them."""
    second: Callable[[Sequence[Any]], str] | None = None
    """Return the second call for these arguments as source text, empty for none; None where one call is enough."""
    by_words: bool = False
    """The words say so: then it need not have held before."""


Relation = Callable[[Known], Iterator[Property]]
"""Looks for one kind of property; yields none that a case breaks."""


def kept_by(known: Known, holds: Callable[[Sequence[Any], Any, Any], bool | None], least: int = 1) -> bool:
    """Tell whether no case breaks it and at least `least` say that it holds."""
    told = [holds(case.arguments, case.result, None) for case in known.cases]
    return False not in told and told.count(True) >= least


def is_number(value: Any) -> bool:
    """Tell whether a value is a number; True and False are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_same(arguments: Sequence[Any], result: Any, other: Any) -> bool | None:
    """Tell whether a second call gives what the first one gives."""
    return bool(result == other)
