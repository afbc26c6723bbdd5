"""What recorded loops would have saved by noticing that a program comes again. Pure.

A step of a recorded loop is at least one paid call. Programs are the same where our loop takes them for the same:
comments, blank lines and formatting do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from selfheal_tui.engine.workshop.rehearsal import program_key

from .recorded import RecordedLoop

IN_A_ROW = 2
"""So many rounds that bring nothing new end our loop in full autonomy (`engine/loop/routes.py:after_rank`)."""


def repetition(loops: Sequence[RecordedLoop]) -> dict[str, Any]:
    """Return the figures, JSON-ready.

    `calls`: steps after the first program. `again`: those that brought a program of the same loop once more.
    `stops`: how many rounds of that in a row end a loop -> loops ended, calls that would not have been made after it,
    and ended loops that were recorded as healed later.
    """
    repeats = [_repeats(loop) for loop in loops]
    return {
        "loops": len(loops),
        "calls": sum(len(loop.steps) - 1 for loop in loops),
        "again": sum(map(sum, repeats)),
        "loops_with_repetition": sum(map(any, repeats)),
        "stops": {str(number): _stopped(loops, repeats, number) for number in (1, IN_A_ROW)},
    }


def _repeats(loop: RecordedLoop) -> list[bool]:
    """Return for each step whether its program was there before."""
    seen: set[str] = set()
    found = []
    for step in loop.steps:
        key = program_key({"solution.py": step.code}, {})
        found.append(key in seen)
        seen.add(key)
    return found


def _stopped(loops: Sequence[RecordedLoop], repeats: Sequence[Sequence[bool]], in_a_row: int) -> dict[str, int]:
    figures = {"loops": 0, "saved_calls": 0, "healed_later": 0}
    for loop, again in zip(loops, repeats, strict=True):
        row = 0
        for number, repeated in enumerate(again):
            row = row + 1 if repeated else 0
            if row == in_a_row:
                left = len(again) - 1 - number
                figures["loops"] += 1
                figures["saved_calls"] += left
                figures["healed_later"] += bool(left) and loop.healed
                break
    return figures
