"""Which outcomes of a condition or a value would make a failing case pass, and what the variables were then.

The program says so, so it guides a search only: values are read as literals within limits, and none is believed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from .base import Suite
from .examine import play
from .protocol import Frame
from .sift import OpenAttempt, SiftLimits, Variant

_NAME = re.compile(r"[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60})?", re.ASCII)
_LONGEST, _MOST_NAMES, _MOST_SAMPLES, _MOST_FORCED = 300, 60, 80, 4000
_LATE_S = 2.0
"""For starting the process and for a run that nothing interrupts."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One evaluation of a place."""

    was: Any
    """A literal value; None also where it is none."""
    wanted: Any
    is_free: bool
    """Whether the case passes with the opposite too."""
    local: Mapping[str, Any]
    """Variable, or attribute of one as `name.attribute` -> literal value."""


@dataclass(frozen=True, slots=True)
class Forced:
    """A way in which a case passes."""

    case: str
    place: int
    changed: bool
    """Whether the case fails without; else it passes as it is."""
    samples: tuple[Sample, ...]


async def force(
    open_attempt: OpenAttempt,
    suite: Suite,
    variant: Variant,
    trials: Sequence[Sequence[str]],
    cases: tuple[Sequence[str], Sequence[str]],
    limits: SiftLimits,
    seconds: float,
    plain: bool = False,
) -> list[Forced]:
    """Run (failing, passing) `cases` with the variant, which calls `__force__(number, value)` at its places.

    `trials` are for each place the literals to try; none: a condition. A place counts where each failing case passes.
    Raises: SandboxError, Unfit.
    """
    more: dict[str, Any] = {"variant": dict(variant), "trials": [list(texts) for texts in trials]}
    more |= {"failing": list(cases[0]), "passing": list(cases[1]), "forcing_s": seconds}
    ways: list[Forced] = []
    seconds += _LATE_S
    async with aclosing(play(open_attempt, suite, limits, seconds, role="force", plain=plain, **more)) as frames:
        async for frame in frames:
            if frame.get("t") == "forced" and (way := _read(frame, len(trials))) is not None:
                ways.append(way)
            if len(ways) >= _MOST_FORCED:
                break
    return ways


def _read(frame: Frame, places: int) -> Forced | None:
    """Return what a frame tells; None for one that the program made up."""
    match frame:
        case {"id": str(case), "place": int(place), "changed": bool(changed), "samples": list(rows)}:
            return Forced(case, place, changed, tuple(_samples(rows))) if 0 <= place < places else None
    return None


def _samples(rows: Sequence[Any]) -> Iterator[Sample]:
    for row in rows[:_MOST_SAMPLES]:
        match row:
            case [str(was), str(wanted), bool(is_free), dict(local)]:
                values = {name: read_literal(text) for name, text in list(local.items())[:_MOST_NAMES]}
                known = {name: one[0] for name, one in values.items() if one and _NAME.fullmatch(str(name))}
                before, after = read_literal(was), read_literal(wanted)
                if after:
                    yield Sample(before[0] if before else None, after[0], is_free, known)


def read_literal(text: Any) -> tuple[Any] | None:
    """Return the value of a short literal; None for anything else."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        return None
    try:
        return (ast.literal_eval(text),)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
