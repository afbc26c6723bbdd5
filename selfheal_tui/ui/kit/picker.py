"""A list with a line above it: typing filters, arrows move, Enter chooses, Escape cancels; several can be marked.

What is typed and fits no row is handed on as text, so whoever likes the short form types it here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from selfheal_tui.errors import SelfHealError
from selfheal_tui.text import one_line, strip_controls, truncate_middle

from ..view.picks import Pick, fitting
from .inline_prompt import Continuation
from .key_owner import KeyOwner, take_into
from .picker_list import PickerList
from .text_line import TextLine

_NOTE_LINES = 3
_LONGEST_WORD = 12
_LONGEST = 600
_NOTHING_FITS = "Nothing fits; type less."
_MOST_ROWS = 10
_MOST_WHOLE = 3
"""Lines for a row that the list cuts."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a picker asks, and what is done with the answer."""

    title: str
    then: Continuation
    """Takes the value, or the text; a SelfHealError of it is shown, and the picker stays open."""
    typed: str = ""
    """What else may be typed, as an example; empty where only a row can be taken."""
    several: str = ""
    """What joins the values where several may be taken; empty where one is."""
    marked: Collection[str] = ()
    """Values that are marked from the start."""
    at: str = ""
    """The value that the cursor starts on."""
    moved: Callable[[Pick], None] | None = None
    """Hears of the row under the cursor: to preview it."""
    left: Callable[[], None] | None = None
    """Called when nothing is taken: to take a preview back."""
    told_later: bool = False
    """The list stays open after Enter until `settle` or `refuse` tells what came of the answer."""
    asked: Callable[[str], None] | None = None
    """Hears what is typed and brings the rows for it itself: nothing is filtered then."""
    enter: str = "chooses"
    """What Enter does, as the hint says it."""
    enter_typed: Callable[[str], str] | None = None
    """Says what Enter does with a text that is no row: `starts the branch mine`."""


class PickerLine(TextLine):
    """Where one types what to look for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False, id="picker.up", tooltip="The row above"),
        Binding("down", "move(1)", "Down", show=False, id="picker.down", tooltip="The row below"),
        Binding("pageup", "move(-8)", "Page up", show=False, id="picker.page_up", tooltip="Eight rows up"),
        Binding("pagedown", "move(8)", "Page down", show=False, id="picker.page_down", tooltip="Eight rows down"),
    ]

    def __init__(self, list_: PickerList) -> None:
        super().__init__(compact=True, max_length=2000, select_on_focus=False)
        self._list = list_

    @property
    def marks(self) -> bool:
        """Whether space marks a row: several may be taken, and what is typed is no assignment."""
        return self._list.several and bool(self._list.rows) and not is_assignment(self.value)

    def action_move(self, by: int) -> None:
        self._list.action_move(by)

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "space" and self.marks:
            event.stop()
            event.prevent_default()
            self._list.mark()
            return
        await super()._on_key(event)


class Picker(KeyOwner):
    """Hidden until `ask`; has the keyboard from then on until something is taken or it is left."""

    DEFAULT_CSS = """
    Picker {
        height: auto; display: none; background: $boost; padding: 0 1; border-left: thick $accent;
        &.-open { display: block; }
        PickerLine { width: 1fr; background: $surface; }
        .picker-whole { display: none; }
        .picker-whole.-shown { display: block; }
        .picker-hint { color: $text-muted; max-height: 3; }
        .picker-hint.-error { color: $text-error; max-height: 6; }
        .picker-note { height: auto; max-height: 3; color: $text-muted; display: none; }
        .picker-note.-shown { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel", id="picker.leave", tooltip="Close the list, nothing chosen")
    ]

    @dataclass
    class Closed(Message):
        """The picker is no longer there."""

        left: bool
        """Whether the user left it, nothing taken."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._question: Question | None = None
        self._rows: Sequence[Pick] = ()
        self._note = ""
        self._sent = False
        """Whether an answer was handed on of which nothing is known yet."""
        self._before: Widget | None = None
        self._list = PickerList(self._moved, self._chosen, self._hint)
        self._line = PickerLine(self._list)
        self._whole = Static(classes="picker-whole")
        """The row under the cursor in full, where the list cuts one."""

    def compose(self) -> ComposeResult:
        yield Static(classes="picker-title")
        yield self._line
        yield self._list
        yield self._whole
        yield Static(classes="picker-hint")
        yield Static(classes="picker-note")

    @property
    def is_open(self) -> bool:
        """Whether it asks."""
        return self.has_class("-open")

    async def take(self, event: events.Key) -> bool:
        """Take a key that came while the focus is elsewhere; tell whether it is one for the line."""
        if event.key == "space" and self._line.marks:
            self._list.mark()
            self._line.focus()
            return True
        return await take_into(self._line, event, self.action_leave)

    @property
    def typed(self) -> str:
        """What stands in the line."""
        return self._line.value

    def ask(self, question: Question, rows: Sequence[Pick], text: str = "") -> None:
        """Open it with these rows, and take the keyboard at once; `show` brings more of them later."""
        self._question, self._note, self._sent = question, "", False
        self._before = self.screen.focused
        self._list.several, self._list.marked = bool(question.several), set(question.marked)
        self.query_one(".picker-title", Static).update(Content.styled(_clean(question.title), "bold"))
        with self.prevent(Input.Changed):
            self._line.value = text
            self._line.select_all()
        self.add_class("-open")
        self.screen.set_focus(self._line)
        self._rows = rows
        self._draw(question.at)

    def show(self, rows: Sequence[Pick], note: str = "") -> None:
        """Draw other rows for the same question; what is marked, typed and under the cursor stays."""
        if not self.is_open:
            return
        current = self._list.current
        self._rows, self._note = rows, note
        self._draw(current.value if current is not None else None)

    @property
    def is_answered(self) -> bool:
        """Whether it was answered and is not closed yet."""
        return self._sent

    def settle(self) -> None:
        """Close where an answer was sent: it has been taken."""
        if self._sent:
            self.close()

    def refuse(self, why: str) -> bool:
        """Say why the answer cannot be used, and keep its text; tell whether one was sent."""
        was_sent, self._sent = self._sent, False
        if was_sent:
            self._hint(why)
            self.screen.set_focus(self._line)
        return was_sent

    def close(self, *, left: bool = False) -> None:
        """Hide, and give the focus back; nothing is taken."""
        if not self.is_open:
            return
        self.remove_class("-open")
        self._question, self._sent = None, False
        if self._line.has_focus:
            self.screen.set_focus(self._before if self._before is not None and self._before.focusable else None)
        self.post_message(self.Closed(left))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter, or ask whoever brings the rows."""
        event.stop()
        if self._question is not None and self._question.asked is not None:
            self._question.asked(event.value)
        else:
            self._draw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the marked rows, the one under the cursor, or the text that fits none."""
        event.stop()
        self._chosen()

    def action_leave(self) -> None:
        """Leave, nothing taken."""
        left = self._question.left if self._question is not None else None
        self.close(left=True)
        if left is not None:
            left()

    def _draw(self, keep: str | None = None) -> None:
        # As many rows as it can ever have: what is typed moves nothing around it.
        self._list.styles.height = max(1, min(len(self._rows), _MOST_ROWS))
        filters = self._question is not None and self._question.asked is None
        self._list.show(fitting(self._rows, self._line.value) if filters else self._rows, keep)
        self._hint()
        self._moved()
        self.call_after_refresh(self._show_whole)

    def on_resize(self) -> None:
        """See anew which rows are cut."""
        self.call_after_refresh(self._show_whole)

    def _show_whole(self) -> None:
        """Say below the list what the row under the cursor says, where one is cut: its lines stay the same for all."""
        room = max(1, self._list.scrollable_content_region.width)
        longest = max((len(wrap(whole, room)) for row in self._rows if (whole := self._list.whole(row))), default=0)
        self._whole.styles.height = min(longest, _MOST_WHOLE)
        self._whole.set_class(longest > 0, "-shown")
        current = self._list.current
        self._whole.update(Content(self._list.whole(current) if current is not None else ""))

    def _moved(self) -> None:
        self._show_whole()
        if self._question is not None and self._question.moved is not None and self._list.current is not None:
            self._question.moved(self._list.current)

    def _answer(self) -> str:
        question, current = self._question, self._list.current
        if question is None:
            return ""
        text = self._line.value.strip()
        # An assignment is text, also where its words stand in a row.
        if question.typed and text and (is_assignment(text) or current is None):
            return text
        order = [row.value for row in self._rows]
        if marked := [value for value in order if value in self._list.marked]:
            return question.several.join(marked)
        return current.value if current is not None else ""

    def _chosen(self) -> None:
        answer = self._answer()
        if self._question is None:
            return
        if not answer and self._list.current is None:
            self._hint(_NOTHING_FITS if self._rows else "There is no row to choose.")
            return
        self.screen.call_later(self._hand_on, self._question, answer)

    async def _hand_on(self, question: Question, answer: str) -> None:
        if question is not self._question or self._sent:
            return
        self._sent = True
        try:
            going: Awaitable[None] | None = question.then(answer)
            if going is not None:
                await going
        except SelfHealError as error:
            self.refuse(str(error))
            return
        if question is self._question and not question.told_later:
            self.close()

    def _hint(self, error: str = "") -> None:
        question = self._question
        if question is None:
            return
        filters, text = question.asked is None, self._line.value.strip()
        if not error and filters and text and self._list.current is None and not question.typed:
            error = _NOTHING_FITS
        mark = "space marks · " if question.several else ""
        example = f" · or type {question.typed}" if question.typed else ""
        words = f"↑↓ move · {mark}enter {question.enter} · esc cancels{example}"
        if question.typed and filters and text and (is_assignment(text) or self._list.current is None):
            meaning = question.enter_typed(text) if question.enter_typed is not None else "takes what you typed"
            nothing = "Nothing in the list fits: " if self._list.current is None else ""
            words = f"{nothing}enter {meaning} · esc cancels"
        hint = self.query_one(".picker-hint", Static)
        hint.update(Content(_clean(f"! {error}" if error else words)))
        hint.set_class(bool(error), "-error")
        self.set_class(bool(error), "-refused")
        note = self.query_one(".picker-note", Static)
        # Words are wrapped, so each line may end with room for one.
        room = _NOTE_LINES * max(20, self.size.width - _LONGEST_WORD)
        note.update(Content(one_line(_clean(self._note), room)))
        note.set_class(bool(self._note) and not error, "-shown")


def is_assignment(text: str) -> bool:
    """Tell whether a text is the short form: `NAME=VALUE`, or several with bars between."""
    return "=" in text or "|" in text


def _clean(text: str) -> str:
    return truncate_middle(strip_controls(text), _LONGEST)
