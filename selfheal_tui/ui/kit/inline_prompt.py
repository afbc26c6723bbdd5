"""One question answered in one line, below what it is about: a reason, a label, a confirmation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from selfheal_tui.text import one_line, strip_controls, truncate_middle

_LONGEST = 2_000
"""Characters of a question that are shown."""

Continuation = Callable[[str], Awaitable[None] | None]
"""What is done with the answer."""


class InlinePrompt(Vertical):
    """Hidden until `ask`; Enter answers, Escape cancels and keeps the text for the same question."""

    DEFAULT_CSS = """
    InlinePrompt {
        height: auto; display: none; background: $boost; padding: 0 1; border-left: thick $accent;
        &.-open { display: block; }
        Input { width: 1fr; background: $surface; }
        .prompt-hint { color: $text-muted; }
        .prompt-hint.-error { color: $text-error; }
    }
    """
    BINDINGS = [
        Binding("escape", "cancel", "Cancel", id="prompt.cancel", tooltip="Close the line; what was typed is kept")
    ]

    class Cancelled(Message):
        """The user left without an answer."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._then: Continuation | None = None
        self._draft_key = ""
        self._needed = ""
        self._drafts: dict[str, str] = {}
        """Text typed and not sent, by question."""

    def compose(self) -> ComposeResult:
        yield Static(classes="prompt-title")
        yield Input(compact=True, max_length=2000, select_on_focus=False)
        yield Static(classes="prompt-hint")

    def ask(
        self, title: str, hint: str, then: Continuation, *, needed: str = "", text: str = "", draft_key: str = ""
    ) -> None:
        """Open the line and call `then` with the answer; `needed` is said when it is empty and may not be.

        The line starts with what was typed before under the same `draft_key` (the title without one), else with `text`.
        """
        self._then, self._needed, self._draft_key = then, needed, draft_key or title
        self.query_one(".prompt-title", Static).update(Content.styled(_clean(title), "bold"))
        self._hint(hint)
        line = self.query_one(Input)
        line.value = self._drafts.get(self._draft_key, one_line(text, _LONGEST))
        self.add_class("-open")
        line.focus()

    def close(self) -> None:
        """Hide."""
        self.remove_class("-open")

    def forget(self) -> None:
        """Drop what was typed before: another question stands here now."""
        self._drafts.clear()
        self.close()

    @property
    def is_open(self) -> bool:
        """Whether it waits for an answer."""
        return self.has_class("-open")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answer, or say what is missing."""
        event.stop()
        text = event.value.strip()
        if self._needed and not text:
            self._hint(self._needed, error=True)
            return
        self._drafts.pop(self._draft_key, None)
        self.close()
        if self._then is not None:
            self.screen.call_later(self._then, text)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keep what is typed."""
        event.stop()
        if self.is_open:
            self._drafts[self._draft_key] = event.value

    def action_cancel(self) -> None:
        """Close without an answer."""
        self.close()
        self.post_message(self.Cancelled())

    def _hint(self, text: str, error: bool = False) -> None:
        hint = self.query_one(".prompt-hint", Static)
        hint.update(Content(_clean(f"! {text}" if error else text)))
        hint.set_class(error, "-error")


def _clean(text: str) -> str:
    """Make harmless what a question quotes: calls and answers of a program, words of a model."""
    return truncate_middle(strip_controls(text), _LONGEST)
