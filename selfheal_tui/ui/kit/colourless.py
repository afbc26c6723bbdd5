"""No colour at all, as NO_COLOR asks for (no-color.org): what a colour said on the ground is said by reverse video.

What stands on a ground far from that of the screen (a cursor, a chosen row) is reversed. Rules and bars in the colour
of their ground are blank, as they were on the screen.
"""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter, Monochrome, NoColor

from .readable import contrast, is_text

_FAR = 2.6
"""Contrast of two grounds from which one stands out: a cursor has at least 3, a line of a diff at most 2.3."""
_UNSEEN = 1.12


class Colourless(LineFilter):
    """Takes all colours out of what is drawn."""

    def __init__(self, app: App[str | None]) -> None:
        self._app = app
        super().__init__()

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without colours."""
        screen = Color.parse(self._app.theme_variables["background"])
        return [
            Segment(*_without(text, style, background, screen), control)
            if style is not None and control is None
            else Segment(text, style, control)
            for text, style, control in segments
        ]


def without_greys(filters: list[LineFilter]) -> list[LineFilter]:
    """Return an app's filters without Textual's own answer to NO_COLOR, which is shades of grey."""
    return [one for one in filters if not isinstance(one, Monochrome | NoColor)]


def _without(text: str, style: Style, background: Color, screen: Color) -> tuple[str, Style]:
    plain, is_unseen = _plain(style, background, screen)
    return (" " * len(text) if is_unseen and not is_text(text) else text), plain


@lru_cache(maxsize=4096)
def _plain(style: Style, background: Color, screen: Color) -> tuple[Style, bool]:
    """Return a style without colours, and whether what is drawn in it cannot be told from its ground."""
    has_ground = style.bgcolor is not None and not style.bgcolor.is_default
    has_front = style.color is not None and not style.color.is_default
    ground = Color.from_rich_color(style.bgcolor) if has_ground else background
    front = Color.from_rich_color(style.color) if has_front else None
    shown = front if style.reverse and front is not None else ground
    reverse = contrast(shown, screen) >= _FAR or bool(style.reverse and front is None)
    is_unseen = front is not None and contrast(front, ground) < _UNSEEN
    return style.without_color + Style(reverse=reverse), is_unseen
