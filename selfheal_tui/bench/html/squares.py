"""How a task ended as a small square: its colour, and a pattern or a sign that says the same. Pure.

The hues are two of those that Okabe and Ito chose for every kind of colour vision (blue, orange) and a grey.
"""

from __future__ import annotations

from ..figures.kinds import NOT_REPAIRED, REFUSED, REPAIRED
from .draw import box, line, path

PATTERN = (
    '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="6" height="6" class="hatch-ground"/><rect width="2" height="6" class="hatch-line"/></pattern></defs>'
)
"""What fills the plausible ones; once on the page."""


def cell(x: float, y: float, size: float, kind: str, title: str = "") -> str:
    """Draw a kind as a square with its sign; `title` is safe already."""
    parts = [box(x, y, size, size, f"fill-{kind}", title)]

    def at(u: float, v: float) -> tuple[float, float]:
        return x + u * size, y + v * size

    if kind == REPAIRED:
        parts.append(path([at(0.24, 0.52), at(0.43, 0.72), at(0.77, 0.3)], "sign-light"))
    elif kind == NOT_REPAIRED:
        parts += [line(*at(0.3, 0.3), *at(0.7, 0.7), "sign"), line(*at(0.3, 0.7), *at(0.7, 0.3), "sign")]
    elif kind == REFUSED:
        parts.append(line(*at(0.3, 0.5), *at(0.7, 0.5), "sign"))
    return "".join(parts)
