"""What a terminal shows that has no room for a screen."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

MIN_WIDTH, MIN_HEIGHT = 60, 16


class TooSmall(Static):
    """Takes the place of everything in a tiny terminal; the app's style sheet shows it."""

    DEFAULT_CSS = "TooSmall { width: 1fr; height: 1fr; content-align: center middle; text-align: center; }"

    def render(self) -> Content:
        """Say how large the terminal is and must be."""
        size = self.app.size
        return Content.assemble(
            ("selfheal needs more room\n", "bold"),
            (f"{size.width}×{size.height} here, {MIN_WIDTH}×{MIN_HEIGHT} at least\n", ""),
            ("nothing is lost", "$foreground 60%"),
        )
