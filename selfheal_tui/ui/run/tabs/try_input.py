"""The line in which Python is written to be tried: Enter runs what is complete, as at Python's own prompt."""

from __future__ import annotations

import codeop
import warnings
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from ...kit.code_editor import CodeEditor


class TryInput(CodeEditor):
    """Grows with its text; arrows at its ends recall what was tried before."""

    DEFAULT_CSS = """
    TryInput {
        height: auto; min-height: 1; max-height: 8; border: none; padding: 0;
        &:focus { border: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "enter",
            "Run",
            id="try.run",
            tooltip="Run it; a block goes on until an empty line",
        ),
        Binding("up", "recall(-1)", "Earlier", show=False, id="try.earlier", tooltip="What was tried before"),
        Binding("down", "recall(1)", "Later", show=False, id="try.later", tooltip="What was tried after it"),
    ]

    class Recalled(Message):
        """The user wants what was tried before (-1) or after (1)."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.show_line_numbers = False
        self.show("try.py", "")

    async def _on_key(self, event: events.Key) -> None:
        """Take Enter in its turn, before the text area makes it a newline; a priority key would overtake others."""
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.action_enter()

    def action_save(self) -> None:
        """Hand the text over and start afresh: what is typed from here on belongs to the next."""
        super().action_save()
        self.load_text("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A line needs no editor of its own: ctrl+e goes to its end, as everywhere; Enter is what hands it over."""
        return action not in ("outside", "save")

    def action_enter(self) -> None:
        """Run, or open the next line of a block."""
        if is_complete(self.text):
            self.action_save()
        else:
            self.insert("\n" + _indent_after(self.document.get_line(self.cursor_location[0])))

    def action_recall(self, step: int) -> None:
        """Recall at the first or last line, else move the cursor."""
        row = self.cursor_location[0]
        if (step < 0 and row == 0) or (step > 0 and row == self.document.line_count - 1):
            self.post_message(self.Recalled(step))
        elif step < 0:
            self.action_cursor_up()
        else:
            self.action_cursor_down()


def is_complete(text: str) -> bool:
    """Return whether Python's prompt would run the text: a block ends with an empty line.

    What can never parse is complete: running it tells why.
    """
    if (last := text.rpartition("\n")[2]).strip() and last[:1].isspace():
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return codeop.compile_command(text, symbol="exec") is not None
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
            return True


def _indent_after(line: str) -> str:
    """Return the white space that the line after this one starts with."""
    indent = line[: len(line) - len(line.lstrip())]
    return f"{indent}    " if line.rstrip().endswith(":") else indent
