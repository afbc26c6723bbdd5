"""The card that asks whether tests that a model wrote may judge the code."""

from __future__ import annotations

from textual.content import Content

from selfheal_tui.engine.suites.test_cases import case_functions
from selfheal_tui.text import plural, strip_controls

from .review_card import ReviewCard

_DIM = "$foreground 60%"
_KINDS = {"spec": "From your spec alone, before any code.", "adversarial": "By a hostile reader of the code."}


class SuiteCard(ReviewCard):
    """Asks about a generated suite; its text is in the Code tab."""

    KIND = "tests"
    QUESTION = "let these tests judge the code"
    TAB = "code"

    def describe(self) -> Content:
        """Return which cases there are, and which were thrown out before."""
        if self.snapshot is None:
            return Content("")
        files = self.snapshot.suite_files
        cases = [name for text in files.values() for name in case_functions(text)]
        parts = [
            (f"{plural(len(cases), 'case')} in {', '.join(files)}", "bold"),
            (f"\n{_KINDS.get(self.snapshot.written, '')}", _DIM),
            *((f"\n· {strip_controls(name)}", "") for name in cases),
        ]
        if self.snapshot.thrown_out:
            parts.append(("\n\nThrown out before use", _DIM))
            parts += [(f"\n· {strip_controls(why)}", "") for why in self.snapshot.thrown_out]
        return Content.assemble(*parts)
