"""The help screen: all keys of the run screen and what they do."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..keys import HELP


class HelpScreen(ModalScreen[None]):
    """Lists the keys; any of its own keys closes it."""

    DEFAULT_CSS = """
    HelpScreen {
        align: center middle;
        #help { width: 72; max-width: 96%; height: auto; max-height: 92%; padding: 1 2; background: $surface;
                border: round $primary; border-title-color: $text-primary; border-title-style: bold; }
        Static { height: auto; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "Close", id="help.close", tooltip="Back to the screen below")
    ]

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help"):
            yield Static(help_content())

    def on_mount(self) -> None:
        """Name the box."""
        box = self.query_one("#help")
        box.border_title = "Keys"
        box.border_subtitle = "esc closes"


def help_content() -> Content:
    """Return all keys with their tooltips, by heading."""
    parts: list[tuple[str, str]] = []
    for heading, bindings in HELP:
        parts.append((f"{heading}\n", "bold"))
        for binding in bindings:
            key = binding.key_display or {"escape": "esc"}.get(binding.key, binding.key)
            parts += [(f"  {key:<6}", "bold $text-accent"), (f"{binding.tooltip}\n", "")]
        parts.append(("\n", ""))
    parts += [
        ("  tab   ", "bold $text-accent"),
        ("Go between timeline, evidence and card; arrows scroll\n\n", ""),
        ("Nothing is lost when you quit: a question waits on disk, and every moment can be looked at again.\n", ""),
        ("Enter never approves. The mouse works too; hold shift to select text.", "$foreground 60%"),
    ]
    return Content.assemble(*parts)
