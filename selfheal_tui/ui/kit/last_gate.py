"""The last gate before the terminal: no widget, ours or Textual's, can send a control character that text held.

Widgets make foreign text harmless themselves, where they can show what was there; this holds where one forgot.
"""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from selfheal_tui.text import strip_controls


class LastGate(LineFilter):
    """Replaces what is harmful by as many blanks as were reckoned for it, so that the layout stays."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments; almost always the very same list."""
        if all(segment.text.isprintable() for segment in segments):
            return segments
        return [Segment(_blank(text), style, control) for text, style, control in segments]


def _blank(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(" " * cell_len(c) if c in "\n\t\x1b" or strip_controls(c) != c else c for c in text)
