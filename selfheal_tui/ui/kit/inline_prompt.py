"""One question answered in one line, below what it is about: a reason, a label, a confirmation."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from selfheal_tui.errors import SelfHealError
from selfheal_tui.text import one_line, strip_controls, truncate_middle

from .key_owner import KeyOwner, take_into

_LONGEST = 2_000
"""Characters of a question that are shown."""

Continuation = Callable[[str], Awaitable[None] | None]
"""What is done with the answer. Raises: SelfHealError when the answer cannot be used."""


class InlinePrompt(KeyOwner):
    """Hidden until `ask`; Enter answers, Escape cancels and keeps the text for the same question.

    From `ask` until it is closed it has the keyboard, wherever the focus is. An answer that is refused leaves it open,
    with its text and the reason.
    """

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
        self._told_later = False
        self._sent = ""
        self._at_once = ""
        self._drafts: dict[str, str] = {}
        """Text typed and not sent, by question."""

    def compose(self) -> ComposeResult:
        yield Static(classes="prompt-title")
        yield Input(compact=True, max_length=2000, select_on_focus=False)
        yield Static(classes="prompt-hint")

    def ask(
        self,
        title: str,
        hint: str,
        then: Continuation,
        *,
        needed: str = "",
        text: str = "",
        draft_key: str = "",
        told_later: bool = False,
        at_once: str = "",
    ) -> None:
        """Open the line and call `then` with the answer; `needed` is said when it is empty and may not be.

        The line starts with what was typed before under the same `draft_key` (the title without one), else with `text`.
        A letter of `at_once`, typed into the empty line, answers without Enter. With `told_later` the line stays open
        after an answer until `close` or `refuse` tells what came of it.
        """
        self._then, self._needed, self._draft_key = then, needed, draft_key or title
        self._told_later, self._sent, self._at_once = told_later, "", at_once
        self.query_one(".prompt-title", Static).update(Content.styled(_clean(title), "bold"))
        self._hint(hint)
        line = self.query_one(Input)
        line.value = self._drafts.get(self._draft_key, one_line(text, _LONGEST))
        line.cursor_position = len(line.value)
        self.add_class("-open")
        line.focus()

    def close(self) -> None:
        """Hide; an answer that was sent is no draft any more."""
        if self._sent:
            self._drafts.pop(self._draft_key, None)
            self._sent = ""
        self.remove_class("-open")

    def forget(self) -> None:
        """Drop what was typed before: another question stands here now."""
        self._drafts.clear()
        self.close()

    @property
    def is_open(self) -> bool:
        """Whether it waits for an answer, or for what comes of one."""
        return self.has_class("-open")

    @property
    def was_sent(self) -> bool:
        """Whether an answer was sent of which nothing is known yet."""
        return bool(self._sent)

    def refuse(self, why: str) -> None:
        """Say why the answer that was sent cannot be used; its text stands there to be mended."""
        self._drafts[self._draft_key] = self.query_one(Input).value
        self._sent = ""
        self.add_class("-open")
        self._hint(why, error=True)
        self.query_one(Input).focus()

    async def take(self, event: events.Key) -> bool:
        """Take a key that came while the focus is elsewhere; tell whether it is one for the line."""
        return await take_into(self.query_one(Input), event, self.action_cancel)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answer, or say what is missing."""
        event.stop()
        await self._answer(event.value.strip())

    async def _answer(self, text: str) -> None:
        if self._sent or not self.is_open:
            return
        if self._needed and not text:
            self._hint(self._needed, error=True)
            return
        self._sent = text or " "
        self._hint("…")
        try:
            result = self._then(text) if self._then is not None else None
            if inspect.isawaitable(result):
                await result
        except SelfHealError as error:
            self.refuse(str(error))
            return
        if not self._told_later:
            self.close()

    async def on_input_changed(self, event: Input.Changed) -> None:
        """Keep what is typed; a letter that answers at once is sent."""
        event.stop()
        if not self.is_open:
            return
        was_empty = not self._drafts.get(self._draft_key)
        self._drafts[self._draft_key] = event.value
        if was_empty and len(event.value) == 1 and event.value in self._at_once:
            await self._answer(event.value)

    def action_cancel(self) -> None:
        """Close without an answer."""
        self._sent = ""
        self.close()
        self.post_message(self.Cancelled())

    def _hint(self, text: str, error: bool = False) -> None:
        hint = self.query_one(".prompt-hint", Static)
        hint.update(Content(_clean(f"! {text}" if error else text)))
        hint.set_class(error, "-error")


def _clean(text: str) -> str:
    """Make harmless what a question quotes: calls and answers of a program, words of a model."""
    return truncate_middle(strip_controls(text), _LONGEST)
