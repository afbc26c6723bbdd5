"""The side beside the evidence: the card that asks, or what there is to say when nothing is asked."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from selfheal_tui.engine.moment.review import ReviewKind
from selfheal_tui.text import one_line

from ...kit.cut_text import CutText
from ...kit.inline_prompt import InlinePrompt
from ...kit.key_row import KeyRow
from ...kit.picker import Picker
from ...kit.restyle import switch_classes
from ...view.model import RunModel
from .budget import BudgetCard
from .code import CodeCard
from .diagnosis import DiagnosisCard
from .end import EndCard
from .panels import panel
from .repair import RepairCard
from .review_card import ReviewCard
from .stalled import StalledCard
from .suite import SuiteCard

CARDS: dict[ReviewKind, type[ReviewCard]] = {
    "code": CodeCard,
    "diagnosis": DiagnosisCard,
    "repair": RepairCard,
    "budget": BudgetCard,
    "tests": SuiteCard,
    "stalled": StalledCard,
    "end": EndCard,
}
"""Review kind -> the card that asks it."""

_STATES = ("-review", "-again", "-running", "-past", "-healed", "-unhealed", "-failed")
_TINTED = {"-healed", "-failed"}
"""States with a background of their own."""


_MORE, _MORE_SHORT, _MORE_ALONE = " · ↓ more (tab, then arrows)", " · ↓ more: tab, ↓", " · ↓ more"
_SHORT_QUESTION = 3
"""Rows of a question beside which the card needs not give way."""
_TAB_IS_THEIRS = ("-picking", "-asking-line", "-trying")
"""While a line or a list asks, or Python is typed, tab does not leave it."""
_CORNERS = 4
"""Cells of the border's line that stay beside its title."""
_FRAME = 5
"""Cells of the border, the padding and the scroll bar around the text of a card."""


class Side(Vertical):
    """Shows one of: a card, a panel; and the line that answers a question, below."""

    DEFAULT_CSS = """
    Side {
        ReviewCard { display: none; }
        ReviewCard.-asking { display: block; }
        #panel { height: 1fr; }
        #panel-body { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
        #panel-body:focus { background: $boost; }
        #panel-text { height: auto; }
        &.-asking-line KeyRow, &.-picking KeyRow, &.-writing KeyRow { display: none; }
        &.-review #panel, &.-again #panel { display: none; }
    }
    """

    _title = ""
    _grace = ""
    """What is said beside the title for some seconds."""
    _grace_timer: Timer | None = None

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._cards: dict[ReviewKind, ReviewCard] = {}
        """Those that have asked; each is mounted when it first does."""

    def compose(self) -> ComposeResult:
        with Vertical(id="panel"):
            with CutText(id="panel-body"):
                yield Static(id="panel-text")
            yield KeyRow(id="panel-keys")
        yield InlinePrompt(id="prompt")
        yield Picker(id="picker")

    @property
    def prompt(self) -> InlinePrompt:
        """The line that takes reasons and labels."""
        return self.query_one(InlinePrompt)

    @property
    def picker(self) -> Picker:
        """The list that models, fields and matches are taken from."""
        return self.query_one(Picker)

    @property
    def card(self) -> ReviewCard | None:
        """The card that asks now; None when nothing is asked."""
        return next((card for card in self._cards.values() if card.has_class("-asking")), None)

    def _card_for(self, kind: ReviewKind) -> ReviewCard:
        card = self._cards.get(kind)
        if card is None:
            card = self._cards[kind] = CARDS[kind](id=f"card-{kind}")
            card.add_class("-asking", update=False)
            self.mount(card, before="#panel")
        return card

    @property
    def pick(self) -> str:
        """Label of the candidate shown; empty when no repair is asked about."""
        card = self.card
        return card.label if isinstance(card, RepairCard) else ""

    def show(self, model: RunModel, address: str, pick: str = "", wider: str = "") -> None:
        """Ask the model's question, or say what there is to say; `address` is the session, as commands name it.

        `wider` is the command that searches files too that were not searched.
        """
        question, snapshot = model.question, model.shown
        asking = question.kind if question is not None and snapshot is not None else None
        for kind, card in self._cards.items():
            card.set_class(kind == asking, "-asking")
        if question is not None and snapshot is not None:
            card = self._card_for(question.kind)
            if card.review != question:
                self.prompt.forget()
                self.remove_class("-asking-line", "-asking-much")
            if isinstance(card, EndCard):
                card.has_folder, card.has_git, card.in_folder = model.has_folder, model.has_git, model.folder_now
            if isinstance(card, DiagnosisCard):
                card.wider = wider
            card.show(question, snapshot, pick)
            self.fit_width()
            self._state("-again" if question.again else "-review", card.heading())
            return
        title, state, text, keys = panel(model, address, wider)
        self._state(state, title)
        self.query_one("#panel-text", Static).update(text)
        self.query_one("#panel-keys", KeyRow).show(keys)

    def retitle(self) -> None:
        """Say in the title what the card asks now, and how its text is reached."""
        if self.card is not None:
            self._title = self.card.heading()
        self._entitle()

    def make_room_for(self, title: str) -> None:
        """Let the line that asks stand in full, with its keys: what is above it gives way to a long question."""
        rows = len(Content(title).wrap(max(1, self.size.width - 4)))
        self.set_class(rows > _SHORT_QUESTION, "-asking-much")
        self.add_class("-asking-line")

    def fit_width(self) -> None:
        """Be as wide as the candidates need, up to two fifths of the screen."""
        card = self.card
        needed = card.needed_width + _FRAME if isinstance(card, RepairCard) else 0
        self.styles.min_width = min(needed, self.screen.size.width * 2 // 5)

    def grace(self, words: str, for_s: float | None = None) -> None:
        """Say beside the title, for some seconds, that an answer can be taken back; empty takes the word away."""
        if self._grace_timer is not None:
            self._grace_timer.stop()
        self._grace_timer = self.set_timer(for_s, lambda: self.grace("")) if for_s is not None else None
        self._grace = words
        self._entitle()

    def on_cut_text_changed(self, event: CutText.Changed) -> None:
        """Say in the title that there is more text than room."""
        event.stop()
        self._entitle()

    @property
    def body(self) -> CutText:
        """The text of the card, or of what is said instead of one."""
        card = self.card
        return card.body if card is not None else self.query_one("#panel-body", CutText)

    def _state(self, state: str, title: str) -> None:
        if not self.has_class(state):
            states = {name: name == state for name in _STATES}
            if state in _TINTED or not self.classes.isdisjoint(_TINTED):
                self.update_classes(states)  # What is below has another ground.
            else:
                switch_classes(self, states, self, self.query_one("#panel"))
        self._title = title
        self._entitle()

    def on_resize(self) -> None:
        """Fit the title to the new width."""
        self._entitle()

    def _entitle(self) -> None:
        """Where the side stands below the evidence its lower border is not drawn: the word joins the title there."""
        below = self.screen.has_class("-narrow")
        title = f"{self._title} · {self._grace}" if below and self._grace else self._title
        if self.body.hides_more:
            title = _with_more(title, self.size.width - _CORNERS, keys=self.classes.isdisjoint(_TAB_IS_THEIRS))
        if self.border_title != title:
            self.border_title = title
        self.border_subtitle = "" if below else self._grace


def _with_more(title: str, room: int, *, keys: bool) -> str:
    """Return a title that says that there is more, and with `keys` how to come to it: the hint is never what is cut."""
    shorter = title.replace("Your decision: ", "")
    for hint in (_MORE, _MORE_SHORT, _MORE_ALONE) if keys else (_MORE_ALONE,):
        for words in (title,) if hint == _MORE else (title, shorter):
            if len(words) + len(hint) <= room:
                return words + hint
    return one_line(shorter, max(1, room - len(_MORE_ALONE))) + _MORE_ALONE
