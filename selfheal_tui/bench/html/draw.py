"""What the charts share: scales, axes, lines, marks, and the escaping of foreign text. Pure.

Colours are classes of the page's style sheet, so that a chart is right on a light and on a dark page. Everything that
a colour says is also said by a shape or a word.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from selfheal_tui.text import both_ends, strip_controls

WIDTH, HEIGHT = 460, 270
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 34, 46
"""Room around the plot of a chart: for the values, the last label, the legend, and the axis with its name."""
_MOST_TICKS = 7
_STEPS_S = (
    *(0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18000, 36000, 86400),
    *(172800, 432000, 864000),
)
"""Steps of an axis of time."""
_LATTICE_S = (0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 1200, 3600, 7200, 18000, 36000, 86400, 864000)
"""Places that an axis of time may name where it is logarithmic."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values to places along an axis."""

    low: float
    high: float
    start: float
    """Where `low` lies."""
    end: float
    """Where `high` lies."""
    ticks: tuple[tuple[float, str], ...]
    """Values that the axis names, and how."""
    log: bool = False

    def at(self, value: float) -> float:
        """Return the place of a value; one outside lies at the end."""
        low, high, inside = self.low, self.high, min(max(value, self.low), self.high)
        if self.log:
            low, high, inside = math.log(low), math.log(high), math.log(inside)
        part = (inside - low) / (high - low) if high > low else 0.0
        return self.start + part * (self.end - self.start)


def text(value: object) -> str:
    """Make foreign text safe for HTML and SVG."""
    return html.escape(strip_controls(str(value)), quote=True)


def short(value: str, limit: int) -> str:
    """Return a foreign name as one line with both its ends, safe."""
    return html.escape(both_ends(value, limit), quote=True)


def number(value: float) -> str:
    """Write a coordinate."""
    return f"{value:.1f}".removesuffix(".0")


def svg(name: str, parts: Iterable[str], width: float = WIDTH, height: float = HEIGHT, *, sized: bool = False) -> str:
    """Return a chart; `name` says what it shows to whoever cannot see it. One that is `sized` has its own width."""
    body = "\n".join(part for part in parts if part)
    size = f'viewBox="0 0 {number(width)} {number(height)}"' + (f' width="{number(width)}"' if sized else "")
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{text(name)}">\n{body}\n</svg>'


def label(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Write words, which are safe already."""
    side = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{number(x)}" y="{number(y)}"{side}{_class(kind)}>{words}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Draw a straight line."""
    ends = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
    return f"<line {ends}{_class(kind)}/>"


def box(x: float, y: float, width: float, height: float, kind: str, title: str = "") -> str:
    """Draw a rectangle; `title` is safe already and shown under the mouse."""
    size = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f"<rect {size}{_class(kind)}><title>{title}</title></rect>" if title else f"<rect {size}{_class(kind)}/>"


def path(points: Sequence[tuple[float, float]], kind: str) -> str:
    """Draw a line through points."""
    if not points:
        return ""
    return f'<path d="M{" L".join(f"{number(x)},{number(y)}" for x, y in points)}"{_class(kind)}/>'


def mark(x: float, y: float, shape: str, kind: str, title: str = "") -> str:
    """Draw a `circle`, a `square` or a `diamond` around a point; `title` is safe already."""
    about = f"<title>{title}</title>" if title else ""
    if shape == "circle":
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="3.6"{_class(kind)}>{about}</circle>'
    if shape == "diamond":
        points = " ".join(f"{number(x + dx)},{number(y + dy)}" for dx, dy in ((0, -5), (5, 0), (0, 5), (-5, 0)))
        return f'<polygon points="{points}"{_class(kind)}>{about}</polygon>'
    return box(x - 3.4, y - 3.4, 6.8, 6.8, kind, title)


def axes(x: Scale, y: Scale, x_name: str, y_name: str) -> list[str]:
    """Draw both axes with their names, and a faint line for each value of y."""
    parts = []
    for value, words in y.ticks:
        place = y.at(value)
        parts += [line(x.start, place, x.end, place, "grid"), label(x.start - 6, place + 4, words, "tick", "end")]
    for value, words in x.ticks:
        place = x.at(value)
        parts += [line(place, y.start, place, y.start + 4, "axis"), label(place, y.start + 17, words, "tick", "middle")]
    parts += [
        line(x.start, y.start, x.end, y.start, "axis"),
        label((x.start + x.end) / 2, y.start + 36, x_name, "name", "middle"),
        label(x.start - 42, y.end - 20, y_name, "name"),
    ]
    return parts


def part_scale(start: float = HEIGHT - BOTTOM, end: float = TOP) -> Scale:
    """Return a scale from 0 to 100 %."""
    return Scale(0.0, 1.0, start, end, tuple((n / 4, f"{25 * n} %") for n in range(5)))


def count_scale(most: float, start: float, end: float, most_ticks: int = _MOST_TICKS) -> Scale:
    """Return a scale for whole numbers from 0."""
    step = next(s for s in _steps(1) if most / s < most_ticks)
    ticks = tuple((n * step, f"{n * step:,g}") for n in range(int(most // step) + 1))
    return Scale(0.0, max(float(most), 1.0), start, end, ticks)


def money_scale(most: float, start: float, end: float) -> Scale:
    """Return a scale for dollars from 0."""
    most = max(most, 1e-6)
    step = next(s for s in _steps(10.0 ** (math.floor(math.log10(most)) - 1)) if most / s < _MOST_TICKS - 1)
    places = max(0, min(6, -math.floor(math.log10(step) + 1e-9)))
    places = places if places == 0 else max(2, places)
    return Scale(
        0.0, most, start, end, tuple((n * step, f"${n * step:,.{places}f}") for n in range(int(most / step) + 1))
    )


def time_scale(seconds: Sequence[float], start: float, end: float, *, from_zero: bool = False) -> Scale:
    """Return a scale for times: logarithmic where the longest is far beyond the usual one, else from 0."""
    ordered = sorted(seconds) or [1.0]
    most, median = max(ordered[-1], 0.1), ordered[len(ordered) // 2]
    if from_zero or most < 8 * max(median, 0.1):
        step = next((s for s in _STEPS_S if most / s < _MOST_TICKS), _STEPS_S[-1])
        return Scale(
            0.0, most, start, end, tuple((n * step, short_time(n * step)) for n in range(min(99, int(most / step)) + 1))
        )
    least = max(ordered[0], 0.01)
    low = max((value for value in _LATTICE_S if value <= least), default=_LATTICE_S[0])
    high = next((value for value in _LATTICE_S if value >= most), most)
    named = [value for value in _LATTICE_S if low <= value <= high]
    while len(named) > _MOST_TICKS:
        named = [*named[:-1:2], named[-1]] if len(named) % 2 else named[::2]
    return Scale(low, high, start, end, tuple((value, short_time(value)) for value in named), log=True)


def short_time(seconds: float) -> str:
    """Say a time in few characters: `20 s`, `1:20 min`, `2 min`, `1.5 h`."""
    if 60 <= seconds < 600 and round(seconds) % 60:
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes}:{rest:02} min"
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def legend(entries: Sequence[tuple[str, str]], x: float = LEFT, y: float = 10) -> str:
    """Write drawn samples with their words above the plot; each sample is 22 wide."""
    parts = []
    for sample, words in entries:
        parts += [
            f'<g transform="translate({number(x)} {number(y)})">{sample}</g>',
            label(x + 27, y + 4, words, "tick"),
        ]
        x += 38 + 5.6 * len(words)
    return "\n".join(parts)


def _steps(first: float) -> Iterable[float]:
    while True:
        yield from (first, 2 * first, 5 * first)
        first *= 10


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
