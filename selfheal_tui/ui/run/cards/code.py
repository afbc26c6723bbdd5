"""The card that asks whether generated code is worth testing."""

from __future__ import annotations

from textual.content import Content

from selfheal_tui.text import plural

from .review_card import ReviewCard


class CodeCard(ReviewCard):
    """Asks about code that a model wrote for a spec."""

    KIND = "code"
    QUESTION = "go on with this code"
    TAB = "code"

    def describe(self) -> Content:
        """Return which files were written and what for."""
        if self.snapshot is None:
            return Content("")
        lines = [f"{path}  {plural(text.count(chr(10)) + 1, 'line')}" for path, text in self.snapshot.program.items()]
        return Content.assemble(
            ("The code written for your spec is in the Code tab.\n", "bold"),
            ("\n".join(lines), ""),
            ("\nNothing has run yet; the tests come next.", "$foreground 60%"),
        )
