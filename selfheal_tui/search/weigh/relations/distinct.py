"""No result holds anything twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from .base import Known, Property, kept_by

_WORDS = re.compile(r"\b(unique|distinct|(remov\w*|without|no) duplicates?|(more than|only) once)\b")


def distinct(known: Known) -> Iterator[Property]:
    """Yield that no element comes twice in a result."""

    def holds(arguments: Sequence[Any], result: Any, _: Any) -> bool | None:
        if not isinstance(result, list | tuple) or len(result) < 2:
            return None
        return len(set(map(repr, result))) == len(result)

    if kept_by(known, holds):
        by_words = _WORDS.search(known.words) is not None
        yield Property("no result in the cases holds anything twice", holds, by_words=by_words)
