"""What goes on from the moment shown on a new branch: a fork, another model or setting, a generated case changed."""

from __future__ import annotations

from functools import partial
from typing import Any

from selfheal_tui.engine.moment.origins import why_not_changeable
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.session.changes import parse_changes, parse_models
from selfheal_tui.errors import InputError

from ..kit.picker import Question
from ..kit.suite_table import CaseList
from ..view import fork_rows, model_rows
from ..view.picks import Pick
from ..view.words import case_name
from .asking import Asking
from .editing import Editing
from .picking import Picking
from .port import RunPort


class Forking:
    """Asks what is to be different, and forks."""

    def __init__(self, port: RunPort, asking: Asking, picking: Picking) -> None:
        self._port, self._asking, self._picking = port, asking, picking

    async def fork(self, changes: dict[str, Any], label: str = "") -> None:
        """Go on from the moment shown with these changes; the engine checks names and values."""
        port = self._port
        session, position = port.driver.session, port.model.position
        if session is None or position is None:
            self._asking.settle()
            return
        at, snapshot = port.model.timeline.checkpoints.get(position), port.model.shown
        if at is not None and snapshot is not None and fork_rows.is_as_now(changes, snapshot):
            raise InputError(
                "That is so already: the branch would be the same in all.",
                "f runs it again all the same." if at.next else "f, and then ask afresh, runs it again all the same.",
            )
        await model_rows.check_answering(changes.get("model", {}).values())
        await port.drive(session.fork(position, changes, label=label))

    def ask_fork(self, editing: Editing) -> None:
        """Ask what the new branch does differently, or what it is called."""
        snapshot = self._port.model.shown
        if snapshot is not None:
            at = self._port.model.timeline.checkpoints.get(snapshot.checkpoint_id)
            rows = [
                *fork_rows.first_rows(snapshot, at_end=at is not None and not at.next),
                _model_row(snapshot),
            ]
            typed = (
                "a name for the branch (! before it asks the models afresh), or NAME=VALUE, several with blanks between"
            )
            question = Question(
                "Run again from this moment, on a new branch. What changes?",
                partial(self._fork_typed, editing),
                typed,
                told_later=True,
                enter_typed=fork_rows.typed_words,
            )
            self._picking.ask(question, [*rows, *fork_rows.field_rows(snapshot)])

    async def _fork_typed(self, editing: Editing, text: str) -> None:
        if "=" in text:
            await self.fork(parse_changes(text))
        elif text == fork_rows.CODE_ROW.value:
            self._picking.close()
            await editing.open_code()
        elif text == fork_rows.MODEL:
            self.ask_model()
        elif not self._ask_value(text):
            await self.fork({"afresh": "yes"} if text.startswith("!") else {}, text.removeprefix("!").strip())

    def _ask_value(self, name: str) -> bool:
        """Ask for the value of a field; tell whether it is one."""
        snapshot = self._port.model.shown
        field = next((row for row in fork_rows.field_rows(snapshot) if row.value == name), None) if snapshot else None
        if snapshot is None or field is None:
            return False
        values = fork_rows.value_rows(name, snapshot)
        title, then = f"{name} from here on (now {field.why}):", partial(self._set_value, name)
        if not values:
            hint = "enter goes on with it, on a new branch · esc cancels"
            self._picking.close()
            self._asking.ask(title, hint, then, f"A value for {name}, please.")
        elif name in fork_rows.SEVERAL:
            now = fork_rows.values_now(name, snapshot)
            self._picking.ask(Question(title, then, several=",", marked=now, told_later=True), values)
        else:
            self._picking.ask(
                Question(title, then, "another value" if name == "effort" else "", told_later=True), values
            )
        return True

    async def _set_value(self, name: str, value: str) -> None:
        await self.fork(parse_changes(f"{name}={value}"))

    def ask_model(self) -> None:
        """Ask for the model of the calls to come."""
        snapshot = self._port.model.shown
        if snapshot is not None:
            title = f"Model from here on, on a new branch ({_models_now(snapshot)}):"
            typed = "PROVIDER:NAME, or ROLE=PROVIDER:NAME"
            self._picking.ask_models(
                Question(title, self._change_model, typed, at=snapshot.models.get("*", ""), told_later=True)
            )

    async def _change_model(self, text: str) -> None:
        await self.fork({"model": parse_models(text)})

    def ask_setting(self) -> None:
        """Ask what is to be different from here on."""
        snapshot = self._port.model.shown
        if snapshot is not None:
            typed = "NAME=VALUE, several with blanks between, as autonomy=full_auto max_calls=20"
            question = Question(
                "What is different from here on, on a new branch?", self._change_setting, typed, told_later=True
            )
            self._picking.ask(question, [_model_row(snapshot), *fork_rows.field_rows(snapshot)])

    async def _change_setting(self, text: str) -> None:
        if text == fork_rows.MODEL:
            self.ask_model()
        elif "=" in text or not self._ask_value(text):
            await self.fork(parse_changes(text))

    async def change_case(self, event: CaseList.Asked, editing: Editing) -> None:
        """Drop, pin or edit a case that a model wrote, on a new branch; the user's own tests are theirs to edit."""
        model, case_id = self._port.model, event.case_id
        snapshot, position = model.shown, model.position
        if snapshot is None or position is None:
            return
        path = case_id.partition("::")[0]
        why_not = why_not_changeable(case_id, snapshot.origins)
        if model.watched is not None:
            why_not = "Nothing can be changed here: the session is only read."
        elif model.running:
            why_not = why_not or "Not while it runs: p pauses it."
        if why_not:
            self._port.notify(why_not, markup=False)
        elif event.what == "drop":
            self._asking.ask(
                f"Go on without {case_name(case_id)}? The suite runs again.",
                "enter drops it, on a new branch · esc cancels",
                partial(self._drop, case_id),
                takes="yes",
            )
        elif event.what == "pin":
            await self.fork({"unpin" if case_id in snapshot.pinned else "pin": case_id})
        else:
            await editing.open_tests(position, path, snapshot.tests[path])

    async def _drop(self, case_id: str, _: str) -> None:
        await self.fork({"drop": case_id})


def _model_row(snapshot: Snapshot) -> Pick:
    return Pick(fork_rows.MODEL, "model", _models_now(snapshot))


def _models_now(snapshot: Snapshot) -> str:
    models = snapshot.models.items()
    return "now " + ", ".join(f"{role}={name}" if role != "*" else name for role, name in models)
