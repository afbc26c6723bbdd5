"""The high-contrast theme's promise: no text fainter on its ground than WCAG 2.2 asks for, whoever chose its colour."""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter

AA = 4.5
"""The least contrast of text (WCAG 2.2, 1.4.3)."""
_BLACK, _WHITE = Color(0, 0, 0), Color(255, 255, 255)
_STEPS = 10


class Readable(LineFilter):
    """Moves the colour of text that is too faint towards black or white; rules and bars stay as they are."""

    def __init__(self, app: App[str | None], theme: str) -> None:
        """Works while the app shows this theme."""
        self._app, self._theme = app, theme
        super().__init__()

    @property
    def enabled(self) -> bool:
        """Whether the theme is shown."""
        return self._app.theme == self._theme

    @enabled.setter
    def enabled(self, value: bool) -> None:
        """Nothing else decides."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments with their text readable."""
        return [
            Segment(text, _readable(style, background), control)
            if style is not None and control is None and is_text(text)
            else Segment(text, style, control)
            for text, style, control in segments
        ]


def contrast(one: Color, other: Color) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def is_text(text: str) -> bool:
    """Tell letters and signs from rules, bars and what else only decorates."""
    return any(not letter.isspace() and not "─" <= letter <= "◿" for letter in text)


def _luminance(colour: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.r / 255, colour.g / 255, colour.b / 255)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@lru_cache(maxsize=4096)
def _readable(style: Style, background: Color) -> Style:
    if style.color is None or style.color.is_default:
        return style
    front = Color.from_rich_color(style.color)
    is_default = style.bgcolor is None or style.bgcolor.is_default
    ground = background if is_default else Color.from_rich_color(style.bgcolor)
    # Reversed, the two change places: the contrast is the same, and what is moved is the text all the same.
    text, below = (ground, front) if style.reverse else (front, ground)
    if contrast(text, below) >= AA:
        return style
    goal = max((_BLACK, _WHITE), key=lambda colour: contrast(colour, below))
    steps = (text.blend(goal, step / _STEPS) for step in range(1, _STEPS + 1))
    better = next((colour for colour in steps if contrast(colour, below) >= AA), goal).rich_color
    return style + (Style(bgcolor=better) if style.reverse else Style(color=better))
