"""One question answered in one line, below what it is about: a reason, a label, a confirmation."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from selfheal_tui.errors import SelfHealError
from selfheal_tui.text import one_line, strip_controls, truncate_middle

from .key_owner import KeyOwner, take_into
from .text_line import TextLine

_LONGEST = 2_000
"""Characters of a question that are shown."""

Continuation = Callable[[str], Awaitable[None] | None]
"""What is done with the answer. Raises: SelfHealError when the answer cannot be used."""
Takes = Literal["text", "remark", "yes"]
"""What may be typed: a text; a remark, where a bare "no" is none and cancels; nothing but yes or no."""
_YES, _NO = ("", "y", "yes"), ("n", "no")


class _Line(TextLine):
    """Knows from its Enter on that it was submitted; its owner hears of that some messages later."""

    submitted = False

    async def action_submit(self) -> None:
        """Hand the text to the owner."""
        self.submitted = True
        await super().action_submit()


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

    AT_ONCE_S: ClassVar[float] = 0.6
    """How long a letter waits for another one before it answers: what is typed may be a value that begins with it."""

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
        self._takes: Takes = "text"
        self._asked_hint = ""
        self._letter_waits: Timer | None = None
        self._drafts: dict[str, str] = {}
        """Text typed and not sent, by question."""

    def compose(self) -> ComposeResult:
        yield Static(classes="prompt-title")
        yield _Line(compact=True, max_length=2000, select_on_focus=False)
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
        takes: Takes = "text",
        limit: int = _LONGEST,
    ) -> None:
        """Open the line and call `then` with the answer; `needed` is said when it is empty and may not be.

        `limit` is how many characters it takes.

        The line starts with what was typed before under the same `draft_key` (the title without one), else with `text`;
        empty where only yes or no may be typed.
        A letter of `at_once`, typed into the empty line or over what was left there, answers without Enter unless more
        is typed. With `told_later` the line stays open after an answer until `close` or `refuse` tells what came of it.
        """
        self._then, self._needed, self._draft_key = then, needed, draft_key or title
        self._told_later, self._sent, self._at_once, self._takes = told_later, "", at_once, takes
        self._asked_hint = hint
        self.query_one(".prompt-title", Static).update(Content.styled(_clean(title), "bold"))
        self._hint(hint)
        line = self.query_one(Input)
        line.max_length = limit
        if takes == "yes":  # what stood there was no answer
            self._drafts.pop(self._draft_key, None)
        line.value = self._drafts.get(self._draft_key, one_line(text, _LONGEST))
        line.cursor_position = len(line.value)
        self.add_class("-open")
        line.focus()
        if at_once and line.value:
            line.select_all()

    def close(self) -> None:
        """Hide; an answer that was sent is no draft any more."""
        if self._sent:
            self._drafts.pop(self._draft_key, None)
            self._sent = ""
        self._stop_waiting()
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

    @property
    def is_answered(self) -> bool:
        """Whether it was answered and is not closed yet."""
        return self.was_sent or self.query_one(_Line).submitted

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
        self.query_one(_Line).submitted = False
        await self._answer(event.value.strip())

    async def _answer(self, text: str) -> None:
        if self._sent or not self.is_open:
            return
        self._stop_waiting()
        if self._takes != "text" and text.lower() in _NO:
            self._drafts.pop(self._draft_key, None)
            self.action_cancel()
            return
        if self._takes == "yes":
            if text.lower() not in _YES:
                self._hint("Yes or no, please: nothing is done yet.", error=True)
                return
            self._drafts.pop(self._draft_key, None)
            text = ""
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
        is_new = event.value not in (self._drafts.get(self._draft_key) or " ")  # no rest of what was there before
        self._drafts[self._draft_key] = event.value
        if self._letter_waits is not None:
            self._stop_waiting()
            self._hint(self._asked_hint)
        if is_new and len(event.value) == 1 and event.value in self._at_once:
            self._hint(f"{event.value} is the answer; type on for a value that begins with it")
            self._letter_waits = self.set_timer(self.AT_ONCE_S, partial(self._answer, event.value))

    def _stop_waiting(self) -> None:
        if self._letter_waits is not None:
            self._letter_waits.stop()
            self._letter_waits = None

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
