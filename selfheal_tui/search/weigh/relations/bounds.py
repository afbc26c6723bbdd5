"""An argument, its length, its largest or its smallest element bounds every result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .base import Known, Property, is_number, kept_by


def bounds(known: Known) -> Iterator[Property]:
    """Yield what no result is larger or smaller than."""
    for at in known.places:
        for name, measure in _MEASURES.items():
            for word, above in (("larger", True), ("smaller", False)):

                def holds(
                    arguments: Sequence[Any],
                    result: Any,
                    _: Any,
                    at: int = at,
                    measure: Callable[[Any], float | None] = measure,
                    above: bool = above,
                ) -> bool | None:
                    bound = measure(arguments[at]) if at < len(arguments) else None
                    if bound is None or not is_number(result):
                        return None
                    return bool(result <= bound if above else result >= bound)

                if kept_by(known, holds):
                    yield Property(f"no result in the cases is {word} than {name}argument {at + 1}", holds)


def _itself(value: Any) -> float | None:
    return value if is_number(value) else None


def _length(value: Any) -> float | None:
    return len(value) if isinstance(value, str | list | tuple | dict | set) else None


def _largest(value: Any) -> float | None:
    return max(value) if isinstance(value, list | tuple) and value and all(map(is_number, value)) else None


def _smallest(value: Any) -> float | None:
    return min(value) if isinstance(value, list | tuple) and value and all(map(is_number, value)) else None


_MEASURES: dict[str, Callable[[Any], float | None]] = {
    "": _itself,
    "the length of ": _length,
    "the largest in ": _largest,
    "the smallest in ": _smallest,
}
