"""The card that asks how to go on when the loop repeats itself."""

from __future__ import annotations

from textual.content import Content

from selfheal_tui.text import strip_controls

from .review_card import Keys, ReviewCard


class StalledCard(ReviewCard):
    """Asks for another try, or for the end."""

    KIND = "stalled"
    QUESTION = "the loop repeats itself, go on"
    TAB = "diagnosis"

    def keys(self) -> Keys:
        """Return the keys that answer."""
        return [
            ("a", "go on", "approve"),
            ("r", "finish with the best", "reject"),
            ("m", "other model", "model"),
            ("s", "stop", "stop_run"),
        ]

    def describe(self) -> Content:
        """Return what was repeated, and what helps."""
        if self.snapshot is None:
            return Content("")
        return Content.assemble(
            (strip_controls(self.snapshot.repeated), "bold"),
            ("\n\nTwice in a row nothing new was proposed. Loops like this seldom turn green by themselves.", ""),
            ("\nAnother model, a hint (edit the diagnosis before) or your own edit brings something new.", ""),
        )
