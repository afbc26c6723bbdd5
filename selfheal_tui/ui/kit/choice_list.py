"""A list to choose from whose options have a faint part; the option under the cursor is drawn in one colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

_FAINT = "$foreground 60%"


class Choice(NamedTuple):
    """One option."""

    words: str
    aside: str
    """What is said faintly behind it."""
    id: str | None = None
    disabled: bool = False


class ChoiceList(OptionList):
    """Draws the option under the cursor without colours of its own: they cannot be read on the cursor's."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._choices: list[Choice] = []
        self._plain: int | None = None
        """The option that is drawn in one colour."""

    def show(self, choices: Sequence[Choice]) -> None:
        """Show other options."""
        self._choices, self._plain = list(choices), None
        self.clear_options()
        self.add_options(Option(_drawn(one), id=one.id, disabled=one.disabled) for one in choices)

    def watch_highlighted(self, highlighted: int | None) -> None:
        """Draw the option that the cursor left, and the one it reached."""
        super().watch_highlighted(highlighted)
        for at, plain in ((self._plain, False), (highlighted, True)):
            if at is not None and at < len(self._choices):
                self.replace_option_prompt_at_index(at, _drawn(self._choices[at], plain=plain))
        self._plain = highlighted


def _drawn(choice: Choice, *, plain: bool = False) -> Content:
    aside = (choice.aside, "" if plain else _FAINT)
    return Content.assemble((f"{choice.words}  " if choice.words else "", "bold"), aside)
