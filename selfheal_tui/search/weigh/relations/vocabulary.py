"""Every result is one of a few texts: `Yes` or `No`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from selfheal_tui.text import one_line

from .base import Known, Property

_LEAST = 3
_SHOWN = 60


def vocabulary(known: Known) -> Iterator[Property]:
    """Yield the texts that all results are, where each comes twice on average; the words may name others."""
    texts = {case.result for case in known.cases if isinstance(case.result, str)}
    if not texts or not all(isinstance(case.result, str) for case in known.cases):
        return
    if len(known.cases) < max(_LEAST, 2 * len(texts) - 1):
        return

    def holds(arguments: Sequence[Any], result: Any, _: Any) -> bool | None:
        return isinstance(result, str) and (result in texts or f"{result.lower()}" in known.words)

    yield Property(f"every result in the cases is {one_line(' or '.join(map(repr, sorted(texts))), _SHOWN)}", holds)
