"""What goes on from the moment shown on a new branch: a fork, another model or setting, a generated case changed."""

from __future__ import annotations

from functools import partial
from typing import Any

from selfheal_tui.engine.session.changes import parse_changes, parse_models

from ..kit.suite_table import CaseList
from ..view.words import case_name
from .asking import Asking
from .editing import Editing
from .port import RunPort


class Forking:
    """Asks what is to be different, and forks."""

    def __init__(self, port: RunPort, asking: Asking) -> None:
        self._port, self._asking = port, asking

    async def fork(self, changes: dict[str, Any], label: str = "") -> None:
        """Go on from the moment shown with these changes; the engine checks names and values."""
        port = self._port
        session, position = port.driver.session, port.model.position
        if session is None or position is None:
            self._asking.settle()
            return
        await port.drive(session.fork(position, changes, label=label))

    async def save_tests(self, changes: dict[str, str]) -> None:
        """Go on with edited test files."""
        await self.fork({"tests": changes})

    def ask_label(self) -> None:
        """Ask for the new branch's label."""
        self._asking.ask(
            "Run again from this moment. Name of the branch, if you like:",
            "enter replays what is recorded, at no cost · ! in front asks the models afresh · esc cancels",
            self._fork_labelled,
        )

    async def _fork_labelled(self, text: str) -> None:
        await self.fork({"afresh": "yes"} if text.startswith("!") else {}, text.removeprefix("!").strip())

    def ask_model(self) -> None:
        """Ask for the model of the calls to come."""
        snapshot = self._port.model.shown
        models = snapshot.models if snapshot else {}
        now = ", ".join(f"{role}={name}" if role != "*" else name for role, name in models.items())
        self._asking.ask(
            f"Model from here on (now {now}): PROVIDER:NAME, or ROLE=PROVIDER:NAME",
            "enter goes on with it, on a new branch · esc cancels",
            self._change_model,
            "Name a model, as ollama:qwen3:8b or debugger=anthropic:claude-sonnet-4-5.",
        )

    async def _change_model(self, text: str) -> None:
        await self.fork({"model": parse_models(text)})

    def ask_setting(self) -> None:
        """Ask what is to be different from here on."""
        self._asking.ask(
            "From here on (autonomy=full_auto, strategies=minimal,search, afresh=yes, revoke=rule 1 ...):",
            "enter goes on with it, on a new branch · esc cancels",
            self._change_setting,
            "NAME=VALUE, please; a wrong name is answered with all there are.",
        )

    async def _change_setting(self, text: str) -> None:
        await self.fork(parse_changes(text))

    async def change_case(self, event: CaseList.Asked, editing: Editing) -> None:
        """Drop, pin or edit a generated case, on a new branch; the user's own tests are theirs to edit."""
        model, case_id = self._port.model, event.case_id
        snapshot, position = model.shown, model.position
        if snapshot is None or position is None or model.running:
            return
        path = case_id.partition("::")[0]
        if path not in snapshot.origins or snapshot.origins[path] in ("examples", "answers"):
            self._port.notify(
                "Only cases that were written for this run can be dropped, pinned or edited.", markup=False
            )
        elif event.what == "drop":
            self._asking.ask(
                f"Go on without {case_name(case_id)}? The suite runs again.",
                "enter drops it, on a new branch · esc keeps it",
                partial(self._drop, case_id),
            )
        elif event.what == "pin":
            await self.fork({"unpin" if case_id in snapshot.pinned else "pin": case_id})
        else:
            await editing.open_tests(position, path, snapshot.tests[path])

    async def _drop(self, case_id: str, _: str) -> None:
        await self.fork({"drop": case_id})
