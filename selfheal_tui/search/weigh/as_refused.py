"""A repair that does what another does which the human has rejected: the same in other words."""

from __future__ import annotations

from collections.abc import Sequence

from selfheal_tui.text import plural

from ..program.mark import Mark
from .equal_values import equal_as_one


def as_refused(row: Sequence[str], given: Sequence[str], refused: Sequence[Sequence[str]]) -> list[Mark]:
    """Return the mark of a repair whose answers are those of a rejected one; `given` are those of the program as it is.

    A rejected repair that answers as the program does was not reached by any call, and nothing is known.
    """
    for other in refused:
        if len(other) != len(row) or len(given) != len(row):
            continue
        one, rejected, before = equal_as_one([row, other, given])
        if one == rejected != before:
            tried = f"in all {plural(len(row), 'call')} that were tried"
            return [Mark("refused", f"It does the same as the repair that you rejected, {tried}.")]
    return []
