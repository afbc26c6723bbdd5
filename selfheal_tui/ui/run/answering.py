"""How the question on the card is answered: a key answers at once, or opens a line, a form or the editor first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from selfheal_tui.engine.moment.review import Answer, edit, reject, stop
from selfheal_tui.engine.moment.state import Question
from selfheal_tui.engine.moment.steering import edited_lines
from selfheal_tui.errors import InputError
from selfheal_tui.steps import call_words

from ..view.rivals import answer_from, letters_at_once, options_line, says_of_a_call
from ..view.steering import closable, closed_and_why
from .asking import Asking
from .cards.budget import BudgetCard
from .cards.diagnosis import DiagnosisCard
from .cards.repair import RepairCard
from .cards.review_card import ReviewCard
from .cards.stalled import StalledCard
from .editing import Editing
from .port import RunPort

_FRAME = 6
"""Cells beside the choices in their line."""
_RULE_LINES = "2"
"""Lines that a rule is made for where no number is typed."""
_ROOM = 24
"""Rows of a terminal in which each choice has a line of its own."""
_MOST_ROWS = 5
"""Choices that have a line each."""


class Answering:
    """Turns keys into an answer, and the answer into a decision of the session."""

    def __init__(
        self,
        port: RunPort,
        asking: Asking,
        editing: Editing,
        with_attached: Callable[[str, Answer], Awaitable[Answer]],
        comments: Callable[[], str],
        fork: Callable[[dict[str, Any], str], Awaitable[None]],
    ) -> None:
        """`with_attached` puts into an answer what the user attached to the question of a checkpoint.

        `comments` says how many comments go with it; empty for none. `fork` goes on from the moment shown, with
        changes, on a branch of that name.
        """
        self._port, self._asking, self._editing = port, asking, editing
        self._with_attached, self._comments, self._fork = with_attached, comments, fork
        self.pick = ""
        """Label of the candidate that is shown; empty for the first."""

    @property
    def _card(self) -> ReviewCard | None:
        return self._port.side.card

    def approve(self) -> None:
        """Accept what is shown."""
        if self._card is not None:
            self._card.approve()

    def show_candidate(self, number: int) -> None:
        """Show another candidate, or another place of a diagnosis."""
        card = self._card
        if isinstance(card, RepairCard | DiagnosisCard) and number <= len(card.labels):
            self.pick = card.labels[number - 1]
            self._port.show(self._port.model)
            card.call_after_refresh(card.reach_shown)
            if isinstance(card, DiagnosisCard) and card.snapshot is not None and card.snapshot.diagnosis is not None:
                place = card.snapshot.diagnosis["evidence"][number - 1]
                self._port.evidence.goto(place["file"], place["line"])

    async def edit(self) -> None:
        """Open the form, the line for a budget or the editor."""
        card = self._card
        if isinstance(card, DiagnosisCard):
            await self._editing.open_form(card)
        elif isinstance(card, BudgetCard):
            self._asking.ask(
                card.prompt(), "enter goes on with it · esc cancels", self._set_budget, "A number, please."
            )
        elif card is not None:
            await self._editing.open_proposal(card)

    def _set_budget(self, text: str) -> None:
        card = self._card
        if isinstance(card, BudgetCard):
            try:
                limits = card.limits_from(text)
            except ValueError:
                raise InputError(f"{text!r} is no number above 0.") from None
            card.decide(edit(limits))

    def leave_form(self) -> None:
        """Put the form away; its text is kept."""
        self._editing.keep()
        self._port.side.remove_class("-editing")
        self._editing.show_drafts()
        self._port.evidence.tabs.focus_view()

    def reject(self) -> None:
        """Ask for the reason; ending with the best so far needs none."""
        if isinstance(self._card, BudgetCard | StalledCard):
            self._asking.ask(
                "End with the best code so far. A remark, if you like:",
                "enter ends · esc cancels",
                self._reject,
                takes="remark",
            )
            return
        choices, comments = self._closable(), self._comments()
        card, hint = self._card, "enter rejects · esc cancels"
        count = len(card.labels) if isinstance(card, RepairCard) else 1
        all_go = _going_words(count, by_places=bool(choices), at_comments=bool(comments))
        hunks = card.hunk_words() if isinstance(card, RepairCard) else ""
        title = " ".join(filter(None, ("Why not?", all_go, hunks, comments)))
        if choices:
            rows = [f"{number} {words}" for number, (_, words) in enumerate(choices, 1)]
            if self._port.app.size.height >= _ROOM and len(choices) <= _MOST_ROWS:
                title += "".join(f"\n  {row}" for row in rows)
            else:
                title += "".join(f"\n  {row}" for row in _packed(rows, self._port.side.size.width - _FRAME))
            only = "these repairs" if count > 1 else "this repair" if isinstance(card, RepairCard) else _named(card)
            # What is commented on is left alone, whatever else is said.
            only += " and the lines with comments" if comments else ""
            reason = f"a reason: the search cannot read it; it only avoids {only}"
            hint = f"numbers: what the search leaves alone · {reason} · {hint}"
        needed = "" if comments else "A reason is needed: the next attempt goes by it."
        self._asking.ask(title, hint, self._reject, needed, draft_key="reject")

    def _closable(self) -> list[tuple[str, str]]:
        card = self._card
        if not isinstance(card, RepairCard | DiagnosisCard) or card.snapshot is None:
            return []
        return closable(card.snapshot, card.label)

    def _reject(self, text: str) -> None:
        if self._card is not None:
            avoid, reason = closed_and_why(text, self._closable())
            self._card.decide(reject(reason, avoid))

    def stop(self) -> None:
        """Ask before the run ends."""
        self._asking.ask(
            "Stop the run here, unhealed? A remark, if you like:",
            "enter stops the run · esc cancels",
            self._stop,
            takes="remark",
        )

    def _stop(self, note: str) -> None:
        if self._card is not None:
            self._card.decide(stop(note))

    def choose_answer(self) -> None:
        """Ask what the call should give on which programs disagree; else what another call should."""
        card, question = self._card, self._question
        if question:
            listed = list(card.snapshot.candidates.values()) if card is not None and card.snapshot is not None else []
            self._asking.ask(
                f"{call_words(question['call'])} is? {options_line(question, listed)}",
                "a letter answers · else type the right value, or that of another call: f(3) should be 5 · esc cancels",
                self._choose_answer,
                "A letter or a value, please.",
                at_once=letters_at_once(question),
            )
        else:
            self._asking.ask(
                "What is wrong? Say what a call should give:",
                "as f(3) should be 5, or f(3) should raise ValueError · enter makes it a test · esc cancels",
                self._choose_answer,
                "A call and its right value, please.",
            )

    @property
    def _question(self) -> Question | None:
        """What the card asks; at an end where nothing was to heal, the call that tells most."""
        if self._card is not None:
            return self._card.question
        return shown.question if (shown := self._port.model.shown) is not None else None

    async def _choose_answer(self, text: str) -> None:
        card, question = self._card, self._question
        if question is None or says_of_a_call(text):
            await self._fork({"wrong": text}, "")
            return
        answer = answer_from(question, text)
        if card is not None:
            card.decide(edit({"answer": answer}))
        else:
            await self._fork({"wrong": {"call": question["call"], "answer": answer}}, "")

    def make_rule(self) -> None:
        """Ask how far the rule goes that this approval makes."""
        self._asking.ask(
            "Approve it, and from now on every repair that mends all, breaks none and changes at most N lines. N:",
            f"a number, empty for {_RULE_LINES} · enter approves with the rule · esc cancels",
            self._make_rule,
        )

    def _make_rule(self, text: str) -> None:
        card = self._card
        if isinstance(card, RepairCard):
            lines = text.strip() or _RULE_LINES
            if not lines.isdecimal():
                raise InputError(f"{text!r} is no number of lines.")
            if not int(lines):
                raise InputError("Every repair changes a line at least: a rule needs 1 or more.")
            if card.in_part:
                raise InputError("A rule is made from a whole repair.", "Take all its hunks first (esc, then space).")
            card.approve(rule_lines=int(lines))

    async def decide(self, checkpoint_id: str, answer: Answer) -> None:
        """Hand the decision to the session: the waiting question, or an old one on a new branch."""
        port = self._port
        self._editing.keep()
        port.side.remove_class("-editing")
        session = port.driver.session
        if session is None or port.driver.running:
            self._asking.settle()
            return
        port.evidence.tabs.focus_view()
        await self._editing.drafts.sent(checkpoint_id)
        answer = await self._with_attached(checkpoint_id, answer)
        await port.drive(session.decide(checkpoint_id, answer))


def _named(card: ReviewCard | None) -> str:
    """Say what a rejection without a number leaves alone: `this line`, `these 2 lines together`."""
    diagnosis = card.snapshot.diagnosis if card is not None and card.snapshot is not None else None
    first = diagnosis["evidence"][0] if diagnosis is not None and diagnosis["evidence"] else None
    lines = edited_lines(first) if first is not None else []
    return "this line" if len(lines) < 2 else f"these {len(lines)} lines together"


def _going_words(count: int, *, by_places: bool, at_comments: bool) -> str:
    """Say which of so many repairs a rejection is about; empty where there is one."""
    if count < 2:
        return ""
    if at_comments and by_places:
        return "This rejects this repair and those at the lines with comments."
    return f"This rejects all {count} repairs" + ("; with a number, those there alone." if by_places else ".")


def _packed(choices: list[str], room: int) -> list[str]:
    """Return choices side by side in rows of so many cells; none goes on in the next row where it has room in one."""
    rows: list[str] = []
    for choice in choices:
        joined = f"{rows[-1]} · {choice}" if rows else choice
        if rows and len(joined) <= room:
            rows[-1] = joined
        else:
            rows.append(choice)
    return rows
