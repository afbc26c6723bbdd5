"""How many cases passed, iteration by iteration, as one short line of bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from selfheal_tui.engine.history.matrix import SUITE_NODE
from selfheal_tui.engine.moment.timeline import Checkpoint

BARS = "▁▂▃▄▅▆▇█"
MOST_BARS = 12
"""Newest iterations drawn."""


def passed_by_iteration(lineage: Iterable[Checkpoint]) -> list[tuple[int, int]]:
    """Return (passed, all cases) of the newest suite run of each iteration, oldest first."""
    newest: dict[int, tuple[int, int]] = {}
    for at in lineage:
        if at.node == SUITE_NODE and at.passed is not None and at.failed is not None:
            newest[at.iteration] = (at.passed, at.passed + at.failed)
    return list(newest.values())


def spark(points: Sequence[tuple[int, int]]) -> str:
    """Return a bar for each point, by the share that passed: the lowest for none, the full one only for all."""
    return "".join(_bar(passed, total) for passed, total in points[-MOST_BARS:])


def _bar(passed: int, total: int) -> str:
    if not total or not passed:
        return BARS[0]
    if passed >= total:
        return BARS[-1]
    return BARS[min(len(BARS) - 2, 1 + passed * (len(BARS) - 2) // total)]
