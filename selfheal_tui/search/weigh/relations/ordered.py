"""Every result is sorted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from .base import Known, Property, kept_by

_BY = re.compile(r"\b(by|according|based on|criteria|key)\b")
"""Words of functions that sort by something else than the values."""
_WORDS = re.compile(r"\b(sort(s|ed)?|(ascending|increasing|alphabetical) order)\b")


def ordered(known: Known) -> Iterator[Property]:
    """Yield that results are sorted, upwards or downwards."""
    for name, down in (("sorted", False), ("sorted downwards", True)):

        def holds(arguments: Sequence[Any], result: Any, _: Any, down: bool = down) -> bool | None:
            sorted_so = _is_sorted(result, down)
            # A moving average of a sorted list is sorted too, and no other one need be.
            return None if sorted_so and any(_is_sorted(one, down) for one in arguments) else sorted_so

        if kept_by(known, holds):
            by_words = not down and bool(_WORDS.search(known.words)) and not _BY.search(known.words)
            yield Property(f"every result is {name}", holds, by_words=by_words)


def _is_sorted(value: Any, down: bool) -> bool | None:
    if not isinstance(value, list | tuple) or len(value) < 2:
        return None
    try:
        pairs = list(pairwise(value))
        return all(one >= two for one, two in pairs) if down else all(one <= two for one, two in pairs)
    except TypeError:
        return None
