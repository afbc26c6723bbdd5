"""Repairs that give numbers of another type: `2.0` equals `2` to a test, and who prints it sees it. Pure."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..program.mark import Mark


def floats_mark(before: Sequence[str], now: Sequence[str]) -> tuple[Mark, ...]:
    """Return the mark of a repair that gives floats where the program gave whole numbers; both are reprs of answers.

    One number that is not whole says that floats are meant.
    """
    # One that took its process along has no answers.
    pairs = [(_number(old), _number(new)) for old, new in zip(before, now, strict=False)]
    told = [(old, new) for old, new in pairs if old is not None and new is not None]
    floats = [new for _, new in told if isinstance(new, float)]
    if not floats or any(isinstance(old, float) for old, _ in told) or not all(one.is_integer() for one in floats):
        return ()
    return (
        Mark(
            "floats",
            f"It gives {floats[0]} where the program gave whole numbers, which equals {floats[0]:.0f} to a test.",
        ),
    )


def _number(answer: str) -> int | float | None:
    try:
        value = ast.literal_eval(answer)
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
