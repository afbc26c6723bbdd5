"""The chooser of bundled demos: what each program should do, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from selfheal_tui.text import strip_controls

from ..kit.choice_list import Choice, ChoiceList

if TYPE_CHECKING:
    from selfheal_tui.engine.task.demos import Demo


class DemosScreen(ModalScreen[str | None]):
    """Returns the name of the chosen demo."""

    DEFAULT_CSS = """
    DemosScreen {
        align: center middle;
        #demos { width: 76; max-width: 96%; height: auto; max-height: 92%; background: $surface; padding: 0 1;
                 border: round $primary; border-title-color: $text-primary; border-title-style: bold; }
        OptionList { height: auto; max-height: 12; border: none; background: $surface; padding: 0;
                     &:focus { border: none; } }
        VerticalScroll { height: 7; border-top: solid $foreground 20%; padding: 0 1; }
        #story { height: auto; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Cancel", id="demos.cancel", tooltip="Back to the sessions")
    ]

    def __init__(self, demos: Sequence[Demo]) -> None:
        super().__init__()
        self._demos = {demo.name: demo for demo in demos}

    def compose(self) -> ComposeResult:
        with Vertical(id="demos"):
            yield ChoiceList()
            with VerticalScroll(can_focus=False):
                yield Static(id="story")

    def on_mount(self) -> None:
        """Show the demos and name the box."""
        choices = self.query_one(ChoiceList)
        choices.show([Choice(d.title, d.category, d.name) for d in self._demos.values()])
        choices.highlighted = 0 if self._demos else None
        box = self.query_one("#demos")
        box.border_title = "Start a demo"
        box.border_subtitle = "enter starts · esc cancels"

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell the story of the demo under the cursor."""
        demo = self._demos[event.option_id or ""]
        healable = "" if demo.healable else "\n\nNeeds a model: the search healer cannot find this repair."
        self.query_one("#story", Static).update(
            Content.assemble(strip_controls(demo.story).strip(), (healable, "$text-warning"))
        )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose."""
        self.dismiss(event.option_id)
