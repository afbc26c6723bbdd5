"""A question that must not be answered by accident: `y` does it, everything else leaves."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static


class ConfirmScreen(ModalScreen[bool]):
    """Returns True only for `y`."""

    DEFAULT_CSS = """
    ConfirmScreen {
        align: center middle;
        #confirm { width: 60; max-width: 92%; height: auto; padding: 1 2; background: $surface;
                   border: round $error; border-title-color: $text-error; border-title-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "yes", "Yes", id="confirm.yes", tooltip="Do it"),
        Binding("escape,n,q", "no", "No", id="confirm.no", tooltip="Leave everything as it is"),
    ]

    def __init__(self, title: str, text: str, yes: str) -> None:
        super().__init__()
        self._title, self._text, self._yes = title, text, yes

    def compose(self) -> ComposeResult:
        keys = Content.assemble(
            ("\n\ny", "bold $text-accent"), f" {self._yes}   ", ("esc", "bold $text-accent"), " keep it"
        )
        with Vertical(id="confirm"):
            yield Static(Content(self._text) + keys)

    def on_mount(self) -> None:
        """Name the box."""
        self.query_one("#confirm").border_title = self._title

    def action_yes(self) -> None:
        """Confirm."""
        self.dismiss(True)

    def action_no(self) -> None:
        """Leave."""
        self.dismiss(False)
