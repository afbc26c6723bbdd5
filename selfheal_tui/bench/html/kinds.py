"""How a task ended, in four kinds: their words, and how charts draw them. Pure.

The hues are two of those that Okabe and Ito chose for every kind of colour vision (blue, orange) and a grey; each kind
has a pattern or a sign as well.
"""

from __future__ import annotations

from selfheal_tui.bench.metrics import TaskResult

from .draw import box, line, path

REPAIRED, PLAUSIBLE, NOT_REPAIRED, REFUSED = "repaired", "plausible", "not", "refused"
KINDS = (REPAIRED, PLAUSIBLE, NOT_REPAIRED, REFUSED)
WORDS = {
    REPAIRED: "repaired",
    PLAUSIBLE: "plausible only",
    NOT_REPAIRED: "not repaired",
    REFUSED: "refused",
}
MEANINGS = {
    REPAIRED: "the hidden tests pass",
    PLAUSIBLE: "the visible tests pass, the hidden ones do not",
    NOT_REPAIRED: "the visible tests do not pass",
    REFUSED: "the task could not be started",
}
PATTERN = (
    '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="6" height="6" class="hatch-ground"/><rect width="2" height="6" class="hatch-line"/></pattern></defs>'
)
"""What fills the plausible ones; once on the page."""


def kind_of(result: TaskResult) -> str:
    """Return the kind of a finished task."""
    if result["outcome"] == "refused":
        return REFUSED
    if result["repaired"]:
        return REPAIRED
    return PLAUSIBLE if result["plausible"] else NOT_REPAIRED


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
