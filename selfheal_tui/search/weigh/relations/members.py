"""Every result is taken from an argument: one of its elements, or all its letters in another order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .base import Known, Property, kept_by


def members(known: Known) -> Iterator[Property]:
    """Yield for each argument the strongest kind that holds."""
    # Where a test expects None, it stands for nothing that was found, and says so of other arguments too.
    may_be_none = any(case.result is None for case in known.cases)
    but = " but None" if may_be_none else ""
    for at in known.places:
        for name, test in _KINDS.items():

            def holds(
                arguments: Sequence[Any], result: Any, _: Any, at: int = at, test: Callable[[Any, Any], bool] = test
            ) -> bool | None:
                if at >= len(arguments) or not _fit(arguments[at], result, test is _element):
                    return None
                if may_be_none and result is None:
                    return None
                return test(arguments[at], result)

            if kept_by(known, holds):
                yield Property(f"every result{but} is {name} argument {at + 1}", holds)
                break


def _fit(argument: Any, result: Any, as_element: bool) -> bool:
    if as_element:
        return isinstance(argument, list | tuple) and not isinstance(result, bool) and bool(argument)
    if isinstance(argument, str) or isinstance(result, str):
        return isinstance(argument, str) and isinstance(result, str)
    return isinstance(argument, list | tuple | set) and isinstance(result, list | tuple | set)


def _permutation(argument: Any, result: Any) -> bool:
    return Counter(map(repr, argument)) == Counter(map(repr, result))


def _selection(argument: Any, result: Any) -> bool:
    return not Counter(map(repr, result)) - Counter(map(repr, argument))


def _only(argument: Any, result: Any) -> bool:
    return set(map(repr, result)) <= set(map(repr, argument))


def _element(argument: Any, result: Any) -> bool:
    return result in argument


_KINDS: dict[str, Callable[[Any, Any], bool]] = {
    "a permutation of": _permutation,
    "taken from": _selection,
    "made of what is in": _only,
    "an element of": _element,
}
