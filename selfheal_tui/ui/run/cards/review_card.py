"""The card that asks: what is proposed, what it rests on, which keys answer. One subclass per kind.

The card never hears keys: the screen does, once the card has been painted, and calls it. A card posts
`Decided`, the only message in the path of a decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from selfheal_tui.engine.moment.review import Answer, ReviewKind, approve
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import Question

from ...kit.cut_text import CutText
from ...kit.key_row import KeyRow
from ...view.model import Review
from .goes_along import GoesAlong

Keys = list[tuple[str, str, str]]


class ReviewCard(Vertical):
    """Base of all cards: title, scrolling text, a message line, keys."""

    KIND: ClassVar[ReviewKind]
    QUESTION: ClassVar[str]
    """What is asked, in a few words without the question mark."""
    TAB: ClassVar[str]
    """The tab that holds the evidence."""
    painted = False
    """Whether it has been on the screen: it is mounted with its first question."""
    DEFAULT_CSS = """
    ReviewCard {
        height: 1fr;
        .card-body { height: 1fr; scrollbar-size-vertical: 1; padding: 0 1; }
        .card-body:focus { background: $boost; }
        .card-text, .card-before { height: auto; width: 1fr; }
        .card-message { height: auto; padding: 0 1; color: $text-error; display: none; }
        .card-message.-shown { display: block; }
    }
    """

    @dataclass
    class Decided(Message):
        """The user answered the question of a checkpoint."""

        checkpoint_id: str
        answer: Answer

    class Painted(Message):
        """The card, mounted for its first question, is on the screen."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.review: Review | None = None
        self.snapshot: Snapshot | None = None
        self.pick = ""
        # Held, not looked up: a card is told what to ask before its parts are mounted.
        self._text = Static(classes="card-text")
        self._before = Static(classes="card-before")
        """How the question was answered before."""
        self._body = CutText(self._before, self._text, classes="card-body")
        self._attached = GoesAlong(classes="card-attached")
        self._message = Static(classes="card-message")
        self._key_row = KeyRow()

    def on_mount(self) -> None:
        """Tell once it is on the screen: nothing that it asks is answered before."""
        self.call_after_refresh(self._tell_painted)

    @property
    def body(self) -> CutText:
        """What holds the text."""
        return self._body

    def _tell_painted(self) -> None:
        self.painted = True
        self.post_message(self.Painted())

    def compose(self) -> ComposeResult:
        yield from (self._body, self._attached, self._message, self._key_row)

    def show(self, review: Review, snapshot: Snapshot, pick: str = "") -> None:
        """Ask about the snapshot's proposal; `pick` is the label of the candidate shown."""
        if self.review != review:
            self.say("")
            self._attached.clear()
            self.remove_class("-attached")
            self._body.scroll_home(animate=False)
        self.review, self.snapshot, self.pick = review, snapshot, pick
        self.redraw()

    def redraw(self) -> None:
        """Draw the text and the keys anew."""
        before = self.review.before if self.review is not None else ()
        self._before.update(Content("\n").join(Content.styled(f"↺ {words}", "bold $text-warning") for words in before))
        self._before.display = bool(before)
        self._text.update(self.describe())
        self._key_row.show(self.keys())

    @property
    def question(self) -> Question | None:
        """A call of which the human may say what is right, beside what the card asks."""
        question = self.snapshot.question if self.snapshot else None
        return question if self.KIND in ("repair", "end") else None

    def describe(self) -> Content:
        """Return the text of the card."""
        raise NotImplementedError

    def heading(self) -> str:
        """Return the title of the card."""
        if self.review is not None and self.review.again:
            return f"↺ Answer again: {self.QUESTION}?"
        return f"◆ Your decision: {self.QUESTION}?"

    def keys(self) -> Keys:
        """Return the keys that answer."""
        return [
            ("a", "approve", "approve"),
            ("e", "edit", "edit"),
            ("r", "reject", "reject"),
            ("s", "stop", "stop_run"),
        ]

    def approve(self) -> None:
        """Accept the proposal."""
        self.decide(approve())

    def decide(self, answer: Answer) -> None:
        """Post the answer for the question that is shown."""
        if self.review is not None:
            self.say("")
            self.post_message(self.Decided(self.review.checkpoint_id, answer))

    def attach(self, words: Sequence[str], of: str = "result", count: int | None = None, remark: str = "") -> None:
        """Show what goes with the decision, a line each; `of` is what kind of thing these are, all of them.

        `count` is how many things the words are about, where that is not a line each. `remark` is said below them.
        """
        self._attached.attach(words, of, len(words) if count is None else count, remark)
        self.set_class(self._attached.shown, "-attached")

    def reach_shown(self) -> None:
        """Bring the row of what is shown into view, where there are several."""

    def say(self, message: str) -> None:
        """Show a message about the last answer; empty hides it."""
        self._message.update(Content(f"! {message}" if message else ""))
        self._message.set_class(bool(message), "-shown")
