"""What the keys of the run screen answer: questions, forks, generated cases. A key opens a line or an editor."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from textual.screen import Screen

from selfheal_tui.engine.moment.events import Event
from selfheal_tui.engine.moment.review import Answer, edit, reject, stop
from selfheal_tui.engine.session.changes import parse_changes, parse_models

from ..kit.inline_prompt import InlinePrompt
from ..kit.suite_table import CaseList
from ..view.model import RunModel
from ..view.rivals import answer_from, rivals
from ..view.words import case_name
from .cards.budget import BudgetCard
from .cards.diagnosis import DiagnosisCard
from .cards.diagnosis_form import DiagnosisForm
from .cards.repair import RepairCard
from .cards.review_card import ReviewCard
from .cards.side import Side
from .cards.stalled import StalledCard
from .driver import Driver
from .tabs.edit_pane import EditPane
from .tabs.evidence import Evidence


class Answering(Screen[None]):
    """A screen that shows `model`, holds its session by `driver`, and draws and drives by the two methods below."""

    model: RunModel
    driver: Driver
    _pick = ""
    """Label of the candidate that is shown; empty for the first."""
    _case = ""
    """The case that is asked to be dropped."""
    _edits_tests = False
    """The editor holds a test file, not the answer to a question."""

    def _show(self, model: RunModel) -> None:
        raise NotImplementedError

    async def _drive(self, events_: AsyncIterator[Event]) -> None:
        raise NotImplementedError

    @property
    def _card(self) -> ReviewCard | None:
        return self.query_one(Side).card

    def action_approve(self) -> None:
        """Accept what is shown."""
        if self._card is not None:
            self._card.approve()

    async def action_edit(self) -> None:
        """Open the form or the editor."""
        card, shown = self._card, self.model.shown
        if isinstance(card, DiagnosisCard):
            self.query_one(Side).add_class("-editing")
            await card.open_form()
        elif isinstance(card, BudgetCard):
            self.query_one(Side).ask(
                "budget", card.prompt(), "enter goes on with it · esc cancels", "A number, please."
            )
        elif card is not None and card.review is not None and shown is not None:
            pick = self.query_one(Side).pick
            part = None
            if isinstance(card, RepairCard) and card.in_part and card.selection and card.repair:
                part = card.selection.changes(shown, card.repair)
            key = f"{card.review.checkpoint_id} {pick}{'' if part is None else sorted(part.items())}"
            self.query_one(Side).add_class("-writing")
            await self.query_one(Evidence).open_editor(key, shown, pick, part)

    def _close_editor(self, tab: str) -> None:
        self._edits_tests = False
        self.query_one(Evidence).close_editor(tab)
        self.query_one(Side).remove_class("-writing")

    def action_reject(self) -> None:
        """Ask for the reason; ending with the best so far needs none."""
        if isinstance(self._card, BudgetCard | StalledCard):
            self.query_one(Side).ask(
                "reject", "End with the best code so far. A remark, if you like:", "enter ends · esc cancels"
            )
            return
        self.query_one(Side).ask(
            "reject", "Why not?", "enter rejects · esc cancels", "A reason is needed: the next attempt goes by it."
        )

    def action_answer(self) -> None:
        """Ask what the call should give on which programs disagree."""
        card = self._card
        if card is not None and card.question:
            self.query_one(Side).ask(
                "answer",
                f"{card.question['call']} is? {rivals(card.question)}",
                "a letter, or the right value · enter makes it a test · esc cancels",
                "A letter or a value, please.",
            )

    def action_rule(self) -> None:
        """Ask how far the rule goes that this approval makes."""
        self.query_one(Side).ask(
            "rule",
            "Take this one, and from now on every repair that mends all, breaks none and changes at most N lines. N:",
            "enter approves with the rule · esc cancels",
            "A number of lines, please.",
        )

    def action_stop_run(self) -> None:
        """Ask before the run ends."""
        self.query_one(Side).ask(
            "stop", "Stop the run here, unhealed? A remark, if you like:", "enter stops the run · esc keeps it"
        )

    def action_pick(self, number: int) -> None:
        """Show another candidate."""
        card = self._card
        if isinstance(card, RepairCard) and number <= len(card.labels):
            self._pick = card.labels[number - 1]
            self._show(self.model)

    def action_fork(self) -> None:
        """Ask for the new branch's label."""
        self.query_one(Side).ask(
            "fork",
            "Run again from this moment. Name of the branch, if you like:",
            "enter replays what is recorded, at no cost · ! in front asks the models afresh · esc cancels",
        )

    def action_model(self) -> None:
        """Ask for the model of the calls to come."""
        models = self.model.shown.models if self.model.shown else {}
        now = ", ".join(f"{role}={name}" if role != "*" else name for role, name in models.items())
        self.query_one(Side).ask(
            "model",
            f"Model from here on (now {now}): PROVIDER:NAME, or ROLE=PROVIDER:NAME",
            "enter goes on with it, on a new branch · esc cancels",
            "Name a model, as ollama:qwen3:8b or debugger=anthropic:claude-sonnet-4-5.",
        )

    def action_set(self) -> None:
        """Ask what is to be different from here on."""
        self.query_one(Side).ask(
            "set",
            "From here on (autonomy=full_auto, strategies=minimal,search, afresh=yes, revoke=rule 1 ...):",
            "enter goes on with it, on a new branch · esc cancels",
            "NAME=VALUE, please; a wrong name is answered with all there are.",
        )

    async def on_inline_prompt_answered(self, event: InlinePrompt.Answered) -> None:
        """Do what the line was opened for."""
        self._refocus()
        card = self._card
        if event.purpose == "drop":
            await self._fork({"drop": self._case})
        elif event.purpose in ("fork", "model", "set"):
            changes = _changes(event.purpose, event.text)
            label = event.text.removeprefix("!").strip() if event.purpose == "fork" else ""
            await self._fork(changes, label)
        elif isinstance(card, BudgetCard) and event.purpose == "budget":
            try:
                card.decide(edit(card.limits_from(event.text)))
            except ValueError:
                card.say(f"{event.text!r} is no number.")
        elif card is not None and card.question and event.purpose == "answer":
            card.decide(edit({"answer": answer_from(card.question, event.text)}))
        elif isinstance(card, RepairCard) and event.purpose == "rule":
            if event.text.strip().isdigit():
                card.approve(rule_lines=int(event.text))
            else:
                card.say(f"{event.text!r} is no number of lines.")
        elif card is not None and event.purpose in ("reject", "stop"):
            card.decide(reject(event.text) if event.purpose == "reject" else stop(event.text))

    def on_inline_prompt_cancelled(self) -> None:
        """Give the focus back."""
        self._refocus()

    def on_diagnosis_form_left(self, event: DiagnosisForm.Left) -> None:
        """Give the focus back."""
        self.query_one(Side).remove_class("-editing")
        self._refocus()

    async def on_edit_pane_submitted(self, event: EditPane.Submitted) -> None:
        """Decide with the edited files; edited tests make a branch of their own."""
        card = self._card
        if self._edits_tests:
            self._close_editor("tests")
            await self._fork({"tests": event.changes})
        elif card is not None:
            self._close_editor("diff")
            pick = card.label if isinstance(card, RepairCard) else ""
            card.decide(edit({"changes": event.changes}, pick=pick))

    def on_edit_pane_left(self) -> None:
        """Put the editor away, keep its text."""
        self._close_editor("tests" if self._edits_tests else "diff")

    async def on_case_list_asked(self, event: CaseList.Asked) -> None:
        """Drop, pin or edit a generated case, on a new branch; the user's own tests are theirs to edit."""
        shown, position = self.model.shown, self.model.position
        if shown is None or position is None or self.model.running:
            return
        path = event.case_id.partition("::")[0]
        if path not in shown.origins or shown.origins[path] in ("examples", "answers"):
            self.notify("Only cases that were written for this run can be dropped, pinned or edited.", markup=False)
        elif event.what == "drop":
            self._case = event.case_id
            self.query_one(Side).ask(
                "drop",
                f"Go on without {case_name(event.case_id)}? The suite runs again.",
                "enter drops it, on a new branch · esc keeps it",
            )
        elif event.what == "pin":
            name = "unpin" if event.case_id in shown.pinned else "pin"
            await self._fork({name: event.case_id})
        else:
            self._edits_tests = True
            self.query_one(Side).add_class("-writing")
            await self.query_one(Evidence).open_test_editor(f"{position} {path}", path, shown.tests[path])

    async def _fork(self, changes: dict[str, Any], label: str = "") -> None:
        session, position = self.driver.session, self.model.position
        if session is not None and position is not None and self.model.watched is None:
            await self._drive(session.fork(position, changes, label=label))

    async def on_review_card_decided(self, event: ReviewCard.Decided) -> None:
        """Hand the decision to the session: the waiting question, or an old one on a new branch."""
        self.query_one(Side).remove_class("-editing")
        await self._decide(event.checkpoint_id, event.answer)

    async def _decide(self, checkpoint_id: str, answer: Answer) -> None:
        session = self.driver.session
        if session is not None and not self.driver.running and self.model.watched is None:
            self._refocus()
            await self._drive(session.decide(checkpoint_id, self.with_attached(checkpoint_id, answer)))

    def with_attached(self, checkpoint_id: str, answer: Answer) -> Answer:
        """Return the answer with what was attached to it."""
        return answer

    def stop_waiting(self) -> bool:
        """Give up what is waited for beside the run; tell whether there was something."""
        return False

    def _refocus(self) -> None:
        self.query_one(Evidence).focus_view()


def _changes(purpose: str, text: str) -> dict[str, Any]:
    """Return what a fork changes; the engine checks names and values."""
    if purpose == "model":
        return {"model": parse_models(text)}
    if purpose == "fork":
        return {"afresh": "yes"} if text.startswith("!") else {}
    return parse_changes(text)
