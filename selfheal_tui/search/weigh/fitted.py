"""Expressions that were worked out from what the cases need: nothing in the program speaks for them. Pure."""

from __future__ import annotations

from selfheal_tui.search.angelic import FORCED
from selfheal_tui.search.angelic.results import NAME

from ..program.mark import Mark

_WHY = "It was worked out from what these cases need, so inputs that no case has may need something else."


def fitted_marks(operator: str) -> tuple[Mark, ...]:
    """Return the mark of a repair whose expression was fitted to the cases; `operator` is the candidate's."""
    fitted = {*FORCED, NAME}
    return (Mark("fitted", _WHY),) if any(name in fitted for name in operator.split(" + ")) else ()
