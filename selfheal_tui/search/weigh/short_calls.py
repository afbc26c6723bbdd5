"""Calls of the tests with less in their lists: `ratio(['a', 'b'], ['a', 'x'])` for two lists of eight. Pure.

What a long list gives nobody can say by head, and repairs often part on the first few of its items already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .inputs import call_text
from .seeds import seeds_of

_LONG = 4
"""Items from which on a list is long."""
_SIZES = (2, 3, 1)
_MOST = 12


def build_short_calls(tests: Mapping[str, str]) -> list[str]:
    """Return calls as source text, distinct, none of them written in the tests (path -> text)."""
    seeds = list(seeds_of(tests))
    written = {call_text(name, arguments) for name, arguments in seeds}
    calls = dict.fromkeys(
        text
        for size in _SIZES
        for name, arguments in seeds
        for cut in _cut(arguments, size)
        if (text := call_text(name, cut)) not in written
    )
    return [*calls][:_MOST]


def _cut(arguments: Sequence[Any], size: int) -> Iterator[list[Any]]:
    """Yield the arguments with the first items of each long list, with the last ones, and with some of both."""
    if not any(_is_long(value) for value in arguments):
        return
    yield [value[:size] if _is_long(value) else value for value in arguments]
    yield [value[-size:] if _is_long(value) else value for value in arguments]
    several = [at for at, value in enumerate(arguments) if _is_long(value)]
    if len(several) > 1:
        yield [
            (value[:size] if at == several[0] else value[-size:]) if _is_long(value) else value
            for at, value in enumerate(arguments)
        ]


def _is_long(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) >= _LONG
